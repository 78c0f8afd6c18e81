import type { Kysely } from "kysely";
import type { RowOf, Tables } from "../schema.ts";
import type { Ask } from "./cached-queries.ts";

type ShareLine = Omit<RowOf<"shares">, "body" | "hash">;

/** Settings, sessions, drafts and shares. */
export const readSettings = (db: Kysely<Tables>, ask: Ask) => ({
  providers: (): Promise<readonly RowOf<"providers">[]> =>
    db.selectFrom("providers").selectAll().orderBy("provider").execute(),

  provider: (provider: string): Promise<RowOf<"providers"> | undefined> =>
    db.selectFrom("providers").selectAll().where("provider", "=", provider).executeTakeFirst(),

  modelSettings: (): Promise<readonly RowOf<"model_settings">[]> =>
    db.selectFrom("model_settings").selectAll().orderBy("model").execute(),

  sessions: async (hashes: readonly string[]): Promise<readonly RowOf<"sessions">[]> =>
    hashes.length === 0 ? [] : db.selectFrom("sessions").selectAll().where("id_hash", "in", hashes).execute(),

  endedSessions: async (at: number, limit: number): Promise<readonly string[]> => {
    const query = db.selectFrom("sessions").select("id_hash").where("expires_at", "<=", at);
    return (await query.orderBy("expires_at").limit(limit).execute()).map(({ id_hash }) => id_hash);
  },

  profilesOf: (owner: string): Promise<readonly RowOf<"profiles">[]> =>
    db.selectFrom("profiles").selectAll().where("owner", "=", owner).orderBy("created_at").orderBy("id").execute(),

  profile: async (owner: string, id: string): Promise<RowOf<"profiles"> | undefined> => {
    const [row] = await ask("profile", [owner, id], ([owner, id]) =>
      db.selectFrom("profiles").selectAll().where("owner", "=", owner).where("id", "=", id),
    );
    return row;
  },

  preferences: async (owner: string): Promise<RowOf<"preferences"> | undefined> => {
    const [row] = await ask("preferences", [owner], ([owner]) =>
      db.selectFrom("preferences").selectAll().where("owner", "=", owner),
    );
    return row;
  },

  promptsOf: (owner: string): Promise<readonly RowOf<"prompts">[]> =>
    db.selectFrom("prompts").selectAll().where("owner", "=", owner).orderBy("name").orderBy("id").execute(),

  prompt: (owner: string, id: string): Promise<RowOf<"prompts"> | undefined> =>
    db.selectFrom("prompts").selectAll().where("owner", "=", owner).where("id", "=", id).executeTakeFirst(),

  /** Drafts with text, newest first. */
  drafts: (owner: string): Promise<readonly RowOf<"drafts">[]> =>
    db
      .selectFrom("drafts")
      .selectAll()
      .where("owner", "=", owner)
      .where("text", "<>", "")
      .orderBy("at", "desc")
      .orderBy("thread")
      .execute(),

  draft: async (owner: string, thread: string): Promise<RowOf<"drafts"> | undefined> => {
    const [row] = await ask("draft", [owner, thread], ([owner, thread]) =>
      db.selectFrom("drafts").selectAll().where("owner", "=", owner).where("thread", "=", thread),
    );
    return row;
  },

  /** Newest first. With null: of all threads. */
  shares: (owner: string, thread: string | null): Promise<readonly ShareLine[]> => {
    const query = db
      .selectFrom("shares")
      .select(["owner", "id", "thread", "title", "messages", "redacted", "created_at"])
      .where("owner", "=", owner);
    return (thread === null ? query : query.where("thread", "=", thread))
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .execute();
  },

  share: (owner: string, id: string): Promise<RowOf<"shares"> | undefined> =>
    db.selectFrom("shares").selectAll().where("owner", "=", owner).where("id", "=", id).executeTakeFirst(),

  shareByHash: (hash: string): Promise<RowOf<"shares"> | undefined> =>
    db.selectFrom("shares").selectAll().where("hash", "=", hash).executeTakeFirst(),
});
