import { ProjectRole } from "../../protocol/project/members.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { OwnedObject } from "./authorize.ts";

type AccessReads = Pick<Reads, "project" | "member">;
type ThreadPlace = Pick<RowOf<"threads">, "owner" | "shared" | "project">;

/** An object with the role that a user has for it now, for `authorize`. Nothing is cached. */
export type Access<Row> = OwnedObject & { readonly row: Row };

/** A project with the user's role. */
export async function findProjectAccess<P extends Pick<RowOf<"projects">, "id" | "owner">>(
  read: Pick<Reads, "member">,
  userId: string,
  row: P | undefined,
): Promise<(Access<P> & { readonly role: ProjectRole | null }) | undefined> {
  if (!row) return undefined;
  const role = row.owner === userId ? "owner" : toRole(await read.member(row.id, userId));
  return { ownerId: row.owner, row, role };
}

/**
 * A thread with the user's role. A private thread belongs to its owner alone, whatever its project. A shared thread is as
 * accessible as its project; an editor may also delete and unshare the threads that they started.
 */
export async function findThreadAccess<T extends ThreadPlace>(
  read: AccessReads,
  userId: string,
  row: T | undefined,
): Promise<Access<T> | undefined> {
  if (!row) return undefined;
  if (row.shared === 0) return { ownerId: row.owner, row };
  const project = row.project === null ? undefined : await read.project(row.project);
  const role = (await findProjectAccess(read, userId, project))?.role ?? null;
  return { ownerId: row.owner, row, role: toThreadRole(role, row.owner === userId) };
}

export const toThreadRole = (role: ProjectRole | null, isStarter: boolean): ProjectRole | null =>
  role === "editor" && isStarter ? "owner" : role;

const toRole = (row: Pick<RowOf<"members">, "role"> | undefined): ProjectRole | null => {
  const parsed = ProjectRole.safeParse(row?.role);
  return parsed.success ? parsed.data : null;
};

/**
 * Makes a batch fail unless the user still has a role that may change the project. So a change commits before a removal, or not at all.
 * An editor through a group needs both rows: of the group in the project, and of the user in the group.
 */
export async function planStillEditor(
  read: AccessReads,
  userId: string,
  projectId: string | null,
): Promise<readonly Write[]> {
  const project = projectId === null ? undefined : await read.project(projectId);
  if (!project) return [];
  if (project.owner === userId) {
    return [
      {
        do: "update",
        table: "projects",
        set: { owner: userId },
        where: { id: project.id, owner: userId },
        expectOne: true,
      },
    ];
  }
  const group = (await read.member(project.id, userId))?.through ?? null;
  if (group === null) {
    const where = { object: project.id, person: userId, role: "editor" };
    return [{ do: "update", table: "members", set: { role: "editor" }, where, expectOne: true }];
  }
  const place = { project: project.id, group_id: group, role: "editor" };
  const person = { group_id: group, person: userId };
  return [
    { do: "update", table: "project_groups", set: { role: "editor" }, where: place, expectOne: true },
    { do: "update", table: "group_people", set: { person: userId }, where: person, expectOne: true },
  ];
}

/** The user's own projects and those shared with the user, most recently changed first. */
export async function listProjectsOf(
  read: Pick<Reads, "projectsOf" | "projectsWith">,
  userId: string,
  archived: boolean,
  limit: number,
): Promise<readonly RowOf<"projects">[]> {
  const [own, others] = await Promise.all([
    read.projectsOf(userId, archived, limit),
    read.projectsWith(userId, archived, limit),
  ]);
  if (others.length === 0) return own;
  return [...own, ...others].toSorted((a, b) => b.updated_at - a.updated_at || (a.id < b.id ? 1 : -1)).slice(0, limit);
}
