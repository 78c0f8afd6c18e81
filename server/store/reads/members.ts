import { sql, type Kysely } from "kysely";
import type { MemberRole } from "../../../protocol/project/members.ts";
import type { RowOf, Tables } from "../schema.ts";
import type { Ask } from "./cached-queries.ts";

/** A role of a user in a project: the own one, or that of a group. */
export type Membership = RowOf<"members"> & {
  /** The group that gives the role; null: the own role. */
  readonly through: string | null;
};

/** One row per project and user, with the highest role. */
export function toHighest(memberships: readonly Membership[]): readonly Membership[] {
  const highest = new Map<string, Membership>();
  for (const one of memberships) {
    const key = JSON.stringify([one.object, one.person]);
    const other = highest.get(key);
    if (!other || isHigher(one, other)) highest.set(key, one);
  }
  return [...highest.values()];
}

/** The own role goes before the same role of a group. */
const isHigher = (one: Membership, other: Membership): boolean =>
  one.role === other.role ? one.through === null && other.through !== null : one.role === HIGHEST;

const HIGHEST: MemberRole = "editor";

/** Members of projects, and rows of shared threads by person. Owners of projects are not among the members, even if a group of theirs is. */
export const readMembers = (db: Kysely<Tables>, ask: Ask) => ({
  /** The user's highest role. This and `membersOf` are the only places that decide it. */
  member: async (project: string, person: string): Promise<Membership | undefined> => {
    const rows = await ask("member", [project, person], ([project, person]) =>
      db
        .selectFrom("members")
        .select(["object", "person", "role", sql<string | null>`null`.as("through")])
        .where("object", "=", project)
        .where("person", "=", person)
        .unionAll(
          ofGroups(db)
            .where("project_groups.project", "=", project)
            .where("group_people.person", "=", person)
            .$castTo<Membership>(),
        ),
    );
    return toHighest(rows)[0];
  },

  /** By project and user, each user once, with the highest role. */
  membersOf: async (projects: readonly string[]): Promise<readonly Membership[]> =>
    toHighest(await readMemberships(db, projects)),

  /** All roles of all members. A user may have several. */
  membershipsIn: (projects: readonly string[]): Promise<readonly Membership[]> => readMemberships(db, projects),

  /** Projects that the user is a member of, most recently changed first. */
  projectsWith: (person: string, archived: boolean, limit: number): Promise<readonly RowOf<"projects">[]> =>
    ask("projects with", [person, archived ? 1 : 0, limit], ([person, archived, limit]) =>
      db
        .selectFrom((from) =>
          from
            .selectFrom("members")
            .select("object")
            .where("person", "=", person)
            .union(
              ofGroups(from)
                .clearSelect()
                .select("project_groups.project as object")
                .where("group_people.person", "=", person),
            )
            .as("places"),
        )
        .innerJoin("projects", "projects.id", "places.object")
        .selectAll("projects")
        .where("projects.owner", "<>", person)
        .where("projects.archived", "=", archived)
        .orderBy("projects.updated_at", "desc")
        .orderBy("projects.id", "desc")
        .limit(limit),
    ),

  /** Own roles, not those of groups. */
  membershipsOf: (person: string): Promise<readonly RowOf<"members">[]> =>
    db.selectFrom("members").selectAll().where("person", "=", person).orderBy("object").execute(),

  projectsById: (ids: readonly string[]): Promise<readonly RowOf<"projects">[]> =>
    ids.length === 0
      ? Promise.resolve([])
      : db.selectFrom("projects").selectAll().where("id", "in", ids).orderBy("id").execute(),

  readMarks: (person: string, threads: readonly string[]): Promise<readonly RowOf<"read_marks">[]> =>
    threads.length === 0
      ? Promise.resolve([])
      : db.selectFrom("read_marks").selectAll().where("owner", "=", person).where("thread", "in", threads).execute(),

  /** Queued inputs of this author in shared threads of the project. */
  queuedBy: (author: string, project: string): Promise<readonly RowOf<"inputs">[]> =>
    db
      .selectFrom("inputs")
      .innerJoin("threads", "threads.id", "inputs.thread")
      .selectAll("inputs")
      .where("inputs.author", "=", author)
      .where("inputs.state", "=", sql.lit("queued"))
      .where("threads.project", "=", project)
      .orderBy("inputs.thread")
      .orderBy("inputs.seq")
      .execute(),

  /** Runs that have not ended and act for this user in the project. */
  liveRunsFor: (asker: string, project: string): Promise<readonly { readonly id: string; readonly thread: string }[]> =>
    db
      .selectFrom("runs")
      .innerJoin("threads", "threads.id", "runs.thread")
      .select(["runs.id", "runs.thread"])
      .where("runs.asker", "=", asker)
      .where("runs.ended", "=", sql.lit(0))
      .where("threads.project", "=", project)
      .execute(),

  /** Sent files with this id, by any user. */
  attachmentsById: (id: string): Promise<readonly RowOf<"attachments">[]> =>
    db
      .selectFrom("attachments")
      .selectAll()
      .where("id", "=", id)
      .where("sent", "=", 1)
      .orderBy("created_at")
      .orderBy("owner")
      .execute(),
});

/** Roles by group: one row for each project of a group and each of its people. */
const ofGroups = (db: Pick<Kysely<Tables>, "selectFrom">) =>
  db
    .selectFrom("group_people")
    .innerJoin("project_groups", "project_groups.group_id", "group_people.group_id")
    .select(["project_groups.project as object", "group_people.person", "project_groups.role"])
    .select("project_groups.group_id as through");

async function readMemberships(db: Kysely<Tables>, projects: readonly string[]): Promise<readonly Membership[]> {
  if (projects.length === 0) return [];
  return db
    .selectFrom("members")
    .select(["object", "person", "role", sql<string | null>`null`.as("through")])
    .where("object", "in", projects)
    .unionAll(
      ofGroups(db)
        .innerJoin("projects", "projects.id", "project_groups.project")
        .where("project_groups.project", "in", projects)
        .whereRef("projects.owner", "<>", "group_people.person")
        .$castTo<Membership>(),
    )
    .orderBy("object")
    .orderBy("person")
    .execute();
}
