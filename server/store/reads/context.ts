import type { Kysely } from "kysely";
import type { RowOf, Tables } from "../schema.ts";
import { decompress } from "../compress.ts";
import type { Ask } from "./cached-queries.ts";

/** Prompt inputs other than messages, and receipts. */
export const readContext = (db: Kysely<Tables>, ask: Ask) => ({
  /** Newest first, from all branches. */
  compactions: (thread: string, limit: number): Promise<readonly RowOf<"epochs">[]> =>
    ask("compactions", [thread, limit], ([thread, limit]) =>
      db
        .selectFrom("epochs")
        .selectAll()
        .where("thread", "=", thread)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(limit),
    ),

  /** Compactions without their bodies, which are large. */
  compactionMarks: (
    thread: string,
    limit: number,
  ): Promise<readonly Pick<RowOf<"epochs">, "id" | "branch" | "depth" | "undone">[]> =>
    ask("compactionMarks", [thread, limit], ([thread, limit]) =>
      db
        .selectFrom("epochs")
        .select(["id", "branch", "depth", "undone"])
        .where("thread", "=", thread)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(limit),
    ),

  compaction: async (id: string): Promise<RowOf<"epochs"> | undefined> => {
    const [row] = await ask("compaction", [id], ([id]) => db.selectFrom("epochs").selectAll().where("id", "=", id));
    return row;
  },

  pins: (thread: string): Promise<readonly RowOf<"pins">[]> =>
    ask("pins", [thread], ([thread]) =>
      db.selectFrom("pins").selectAll().where("thread", "=", thread).orderBy("created_at").orderBy("id"),
    ),

  /** Newest first. With `before`: only older ones. */
  receipts: async (
    thread: string,
    limit: number,
    before: RowOf<"receipts"> | null,
  ): Promise<readonly RowOf<"receipts">[]> => {
    const newest = db.selectFrom("receipts").selectAll().where("thread", "=", thread);
    if (before === null) {
      const rows = await ask("receipts", [thread, limit], ([thread, limit]) =>
        db
          .selectFrom("receipts")
          .selectAll()
          .where("thread", "=", thread)
          .orderBy("created_at", "desc")
          .orderBy("id", "desc")
          .limit(limit),
      );
      return rows.map(decompress);
    }
    const rows = await newest
      .where((of) =>
        of.or([
          of("created_at", "<", before.created_at),
          of.and([of("created_at", "=", before.created_at), of("id", "<", before.id)]),
        ]),
      )
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(limit)
      .execute();
    return rows.map(decompress);
  },

  callsOfReceipts: (thread: string, receipts: readonly string[]): Promise<readonly RowOf<"calls">[]> =>
    receipts.length === 0
      ? Promise.resolve([])
      : db.selectFrom("calls").selectAll().where("thread", "=", thread).where("receipt", "in", receipts).execute(),

  messagesById: (thread: string, ids: readonly string[]): Promise<readonly RowOf<"messages">[]> =>
    ids.length === 0
      ? Promise.resolve([])
      : db.selectFrom("messages").selectAll().where("thread", "=", thread).where("id", "in", ids).execute(),

  text: async (hash: string): Promise<string | undefined> => {
    const [row] = await ask("text", [hash], ([hash]) => db.selectFrom("texts").selectAll().where("hash", "=", hash));
    return row?.body;
  },
});
