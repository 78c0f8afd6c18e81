import type { Kysely } from "kysely";
import type { RowOf, Tables } from "../schema.ts";

/** What tools keep. */
export const readRetention = (db: Kysely<Tables>) => ({
  artifact: (thread: string, ref: number): Promise<RowOf<"artifacts"> | undefined> =>
    db.selectFrom("artifacts").selectAll().where("thread", "=", thread).where("ref", "=", ref).executeTakeFirst(),

  /** Of texts that tools stored, without the texts. */
  artifactMetas: async (thread: string, refs: readonly number[]): Promise<readonly string[]> => {
    if (refs.length === 0) return [];
    const rows = await db
      .selectFrom("artifacts")
      .select("meta")
      .where("thread", "=", thread)
      .where("ref", "in", refs)
      .execute();
    return rows.map(({ meta }) => meta);
  },

  /** The highest number given in the thread; 0 when there is none. */
  lastRef: async (thread: string): Promise<number> => {
    const row = await db
      .selectFrom("artifacts")
      .select("ref")
      .where("thread", "=", thread)
      .orderBy("ref", "desc")
      .limit(1)
      .executeTakeFirst();
    return row?.ref ?? 0;
  },

  grants: async (thread: string): Promise<ReadonlySet<string>> => {
    const rows = await db.selectFrom("grants").select("key").where("thread", "=", thread).execute();
    return new Set(rows.map(({ key }) => key));
  },

  decisions: (run: string): Promise<readonly RowOf<"decisions">[]> =>
    db.selectFrom("decisions").selectAll().where("run", "=", run).execute(),

  hiddenValues: (thread: string): Promise<readonly RowOf<"hidden_values">[]> =>
    db.selectFrom("hidden_values").selectAll().where("thread", "=", thread).execute(),

  mcpPins: (owner: string, server: string): Promise<readonly RowOf<"mcp_pins">[]> =>
    db.selectFrom("mcp_pins").selectAll().where("owner", "=", owner).where("server", "=", server).execute(),
});
