import { groupLimits } from "../../../protocol/account/groups.ts";
import { ApiError } from "../../../protocol/errors.ts";
import { MAX_PROJECT_GROUPS, type MemberRole } from "../../../protocol/project/members.ts";
import type { Reads, Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { planLost, type MemberChange, type ProjectAccess, type RevocationReads } from "./members.ts";

type GroupReads = RevocationReads & Pick<Reads, "group" | "groupPeople" | "groupsOfProject" | "projectsOfGroup">;

/** All users of a group get a role in a project, or another one. null: they have it. */
export async function planGroup(
  read: GroupReads,
  access: ProjectAccess,
  { groupId, role }: { readonly groupId: string; readonly role: MemberRole },
): Promise<MemberChange | null> {
  const { project, memberships } = access;
  // Before its users: a concurrent change of them changes the version.
  const group = await getGroup(read, groupId);
  const places = await read.groupsOfProject(project.id);
  const place = places.find(({ id }) => id === groupId);
  if (place?.role === role) return null;
  const people = (await read.groupPeople(groupId)).filter(({ person }) => person !== project.owner);
  const after = [
    ...memberships.filter(({ through }) => through !== groupId),
    ...people.map(({ person }) => ({ object: project.id, person, role, through: groupId })),
  ];
  const { events, writes, drive } = await planLost(read, access, after);
  const where = { project: project.id, group_id: groupId };
  const detail = { group: groupId, name: group.name };
  if (place) {
    return {
      ...{ memberships: after, events, drive },
      writes: [
        {
          do: "update",
          table: "project_groups",
          set: { role },
          where: { ...where, role: place.role },
          expectOne: true,
        },
        ...writes,
      ],
      audit: { action: "project-group-role-changed", target: null, detail: { ...detail, from: place.role, to: role } },
    };
  }
  if (places.length >= MAX_PROJECT_GROUPS) {
    throw new ApiError("too-large", `A project has at most ${MAX_PROJECT_GROUPS} groups. Remove one first.`);
  }
  if ((await read.projectsOfGroup(groupId)).length >= groupLimits.projects) {
    const text = `A group is a member of at most ${groupLimits.projects} projects. Remove it from another project first, or use another group.`;
    throw new ApiError("too-large", text);
  }
  return {
    ...{ memberships: after, events, drive },
    writes: [planVersion(group), { do: "insert", table: "project_groups", row: { ...where, role } }, ...writes],
    audit: { action: "project-group-added", target: null, detail: { ...detail, role } },
  };
}

/** Users of the group without another role in the project lose access. */
export async function planGroupRemoval(
  read: GroupReads,
  access: ProjectAccess,
  groupId: string,
): Promise<MemberChange> {
  const { project, memberships } = access;
  const place = (await read.groupsOfProject(project.id)).find(({ id }) => id === groupId);
  if (!place) throw new ApiError("not-found", "Not found.");
  const after = memberships.filter(({ through }) => through !== groupId);
  const { events, writes, drive } = await planLost(read, access, after);
  return {
    ...{ memberships: after, events, drive },
    // First: it waits for batches that users of the group still commit, whose rows the next writes then see.
    writes: [{ do: "delete", table: "project_groups", where: { project: project.id, group_id: groupId } }, ...writes],
    audit: {
      action: "project-group-removed",
      target: null,
      detail: { group: groupId, name: place.name, role: place.role },
    },
  };
}

type GroupVersion = Pick<RowOf<"user_groups">, "id" | "version">;

/** Makes a batch fail if the group's users or projects have changed since it was read. */
export const planVersion = ({ id, version }: GroupVersion): Write => ({
  do: "update",
  table: "user_groups",
  set: { version: version + 1 },
  where: { id, version },
  expectOne: true,
});

export async function getGroup<G>(
  read: { readonly group: (id: string) => Promise<G | undefined> },
  id: string,
): Promise<G> {
  const group = await read.group(id);
  if (group) return group;
  throw new ApiError("not-found", "Not found.");
}
