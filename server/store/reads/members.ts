import { sql, type Kysely } from "kysely";
import type { RowOf, Tables } from "../schema.ts";
import type { Ask } from "./cached-queries.ts";

type Member = RowOf<"members">;

/** Members of projects, and rows of shared threads by person. Owners of projects are not in `members`. */
export const readMembers = (db: Kysely<Tables>, ask: Ask) => ({
  member: async (project: string, person: string): Promise<Member | undefined> => {
    const [row] = await ask("member", [project, person], ([project, person]) =>
      db.selectFrom("members").selectAll().where("object", "=", project).where("person", "=", person),
    );
    return row;
  },

  membersOf: (projects: readonly string[]): Promise<readonly Member[]> =>
    projects.length === 0
      ? Promise.resolve([])
      : db
          .selectFrom("members")
          .selectAll()
          .where("object", "in", projects)
          .orderBy("object")
          .orderBy("person")
          .execute(),

  /** Projects that the user is a member of, most recently changed first. */
  projectsWith: (person: string, archived: boolean, limit: number): Promise<readonly RowOf<"projects">[]> =>
    ask("projects with", [person, archived ? 1 : 0, limit], ([person, archived, limit]) =>
      db
        .selectFrom("members")
        .innerJoin("projects", "projects.id", "members.object")
        .selectAll("projects")
        .where("members.person", "=", person)
        .where("projects.archived", "=", archived)
        .orderBy("projects.updated_at", "desc")
        .orderBy("projects.id", "desc")
        .limit(limit),
    ),

  membershipsOf: (person: string): Promise<readonly Member[]> =>
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
