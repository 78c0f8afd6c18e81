import type { Person } from "./accounts-instance.ts";

/** An admin creates a group with these users. */
export async function createGroup(admin: Person, id: string, people: readonly Person[]): Promise<void> {
  await admin.client.createGroup({ body: { id, name: `Group ${id}` } });
  for (const { userId } of people) {
    await admin.client.addGroupPerson({ params: { groupId: id, userId }, body: {} });
  }
}
