import { expect } from "vitest";
import type { Instance } from "../instance.ts";
import { join, send, setUp, type Person } from "./accounts-instance.ts";

export type SharedProject = {
  readonly ada: Person;
  /** An editor. */
  readonly bob: Person;
  /** A viewer. */
  readonly cy: Person;
  /** No member. */
  readonly dee: Person;
  readonly projectId: string;
};

/** Ada, who is an admin, owns a project with an editor and a viewer. Dee has no access. */
export async function shareProject(node: Pick<Instance, "url" | "server">, projectId = "plan"): Promise<SharedProject> {
  const ada = await setUp(node);
  const [bob, cy, dee] = [
    await join(node.url, ada, { email: "bob@example.com", name: "Bob" }),
    await join(node.url, ada, { email: "cy@example.com", name: "Cy" }),
    await join(node.url, ada, { email: "dee@example.com", name: "Dee" }),
  ];
  await ada.client.createProject({ body: { id: projectId, name: "Plan" } });
  await ada.client.addMember({ params: { projectId }, body: { email: bob.email, role: "editor" } });
  await ada.client.addMember({ params: { projectId }, body: { email: cy.email, role: "viewer" } });
  return { ada, bob, cy, dee, projectId };
}

export const statusOf = async (url: string, route: string, person: Person, body?: object): Promise<number> =>
  (await send(url, route, { cookie: person.cookie, ...(body ? { body } : {}) })).status;

/** Sends a message and waits for its answer. */
export async function ask(person: Person, threadId: string, id: string, text: string): Promise<void> {
  await person.client.sendMessage({ params: { threadId }, body: { id, text } });
  await waitForAnswer(person, threadId, id);
}

export async function waitForAnswer({ client }: Person, threadId: string, id: string): Promise<void> {
  const isAnswered = async () => {
    const { messages, run, queue } = await client.getThread({ params: { threadId }, query: { limit: 200 } });
    return messages.some((message) => message.id === id) && queue.length === 0 && run?.state === "ended";
  };
  await expect.poll(isAnswered).toBe(true);
}
