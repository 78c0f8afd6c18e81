import type { Kysely } from "kysely";
import type { RowOf, Tables } from "../schema.ts";
import type { Ask } from "./cached-queries.ts";

/** A memory field with its source; null if its change was deleted. */
type RememberedRow = RowOf<"memory"> & {
  readonly reason: string | null;
  readonly thread: string | null;
  readonly message: string | null;
};

/** Memory about users and work states of threads. */
export const readMemory = (db: Kysely<Tables>, ask: Ask) => ({
  memory: (owner: string): Promise<readonly RowOf<"memory">[]> =>
    ask("memory", [owner], ([owner]) =>
      db.selectFrom("memory").selectAll().where("owner", "=", owner).orderBy("field"),
    ),

  /** Context updates about memory, in all threads of this user. */
  contextUpdateParts: (owner: string): Promise<readonly Pick<RowOf<"parts">, "thread" | "message" | "n" | "body">[]> =>
    db
      .selectFrom("parts as p")
      .innerJoin("threads as t", "t.id", "p.thread")
      .select(["p.thread", "p.message", "p.n", "p.body"])
      .where("t.owner", "=", owner)
      .where("p.kind", "=", "context")
      .where("p.body", "like", '%"memory":%')
      .execute(),

  contextUpdateHeads: (owner: string): Promise<readonly Pick<RowOf<"epochs">, "id" | "head" | "body">[]> =>
    db
      .selectFrom("epochs as e")
      .innerJoin("threads as t", "t.id", "e.thread")
      .select(["e.id", "e.head", "e.body"])
      .where("t.owner", "=", owner)
      .execute(),

  memoryChange: (id: string): Promise<RowOf<"memory_changes"> | undefined> =>
    db.selectFrom("memory_changes").selectAll().where("id", "=", id).executeTakeFirst(),

  /** Newest first. */
  memoryChanges: (owner: string, limit: number): Promise<readonly RowOf<"memory_changes">[]> =>
    db
      .selectFrom("memory_changes")
      .selectAll()
      .where("owner", "=", owner)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(limit)
      .execute(),

  remembered: (owner: string): Promise<readonly RememberedRow[]> =>
    db
      .selectFrom("memory as m")
      .leftJoin("memory_changes as c", "c.id", "m.change")
      .selectAll("m")
      .select(["c.reason", "c.thread", "c.message"])
      .where("m.owner", "=", owner)
      .orderBy("m.field")
      .execute(),

  /** All changes of a field, newest first. */
  memoryChangesOf: (owner: string, field: string): Promise<readonly RowOf<"memory_changes">[]> =>
    db
      .selectFrom("memory_changes")
      .selectAll()
      .where("owner", "=", owner)
      .where("field", "=", field)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .execute(),

  /** Changes that came from a thread, newest first. */
  memoryChangesFrom: (owner: string, thread: string): Promise<readonly RowOf<"memory_changes">[]> =>
    db
      .selectFrom("memory_changes")
      .selectAll()
      .where("owner", "=", owner)
      .where("thread", "=", thread)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .execute(),

  agentState: async (thread: string, branch: string): Promise<RowOf<"agent_states"> | undefined> => {
    const [row] = await ask("agentState", [thread, branch], ([thread, branch]) =>
      db.selectFrom("agent_states").selectAll().where("thread", "=", thread).where("branch", "=", branch),
    );
    return row;
  },
});
