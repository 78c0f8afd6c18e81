import type { Kysely } from "kysely";
import type { RowOf, Tables } from "../schema.ts";
import { ownerIsActive } from "./accounts.ts";
import type { Ask } from "./cached-queries.ts";

type ShareLine = Omit<RowOf<"shares">, "body" | "hash">;

/** Settings, sessions, API keys, drafts, shares and requests by other APIs. */
export const readSettings = (db: Kysely<Tables>, ask: Ask) => ({
  providers: (): Promise<readonly RowOf<"providers">[]> =>
    db.selectFrom("providers").selectAll().orderBy("provider").execute(),

  provider: (provider: string): Promise<RowOf<"providers"> | undefined> =>
    db.selectFrom("providers").selectAll().where("provider", "=", provider).executeTakeFirst(),

  /** Of all users. */
  ownKeys: (): Promise<readonly RowOf<"own_keys">[]> =>
    db.selectFrom("own_keys").selectAll().orderBy("owner").orderBy("provider").execute(),

  ownKeysOf: (owner: string): Promise<readonly RowOf<"own_keys">[]> =>
    db.selectFrom("own_keys").selectAll().where("owner", "=", owner).execute(),

  modelSettings: (): Promise<readonly RowOf<"model_settings">[]> =>
    db.selectFrom("model_settings").selectAll().orderBy("model").execute(),

  sessions: async (hashes: readonly string[]): Promise<readonly RowOf<"sessions">[]> =>
    hashes.length === 0 ? [] : db.selectFrom("sessions").selectAll().where("id_hash", "in", hashes).execute(),

  endedSessions: async (at: number, limit: number): Promise<readonly string[]> => {
    const query = db.selectFrom("sessions").select("id_hash").where("expires_at", "<=", at);
    return (await query.orderBy("expires_at").limit(limit).execute()).map(({ id_hash }) => id_hash);
  },

  /** Oldest first. */
  pushSubscriptions: (owner: string): Promise<readonly RowOf<"push_subscriptions">[]> =>
    db
      .selectFrom("push_subscriptions")
      .selectAll()
      .where("owner", "=", owner)
      .orderBy("created_at")
      .orderBy("id")
      .execute(),

  hasPushSubscription: async (owner: string): Promise<boolean> => {
    const rows = await ask("hasPushSubscription", [owner], ([owner]) =>
      db.selectFrom("push_subscriptions").select("id").where("owner", "=", owner).limit(1),
    );
    return rows.length > 0;
  },

  /** Newest first. */
  apiKeys: (owner: string): Promise<readonly RowOf<"api_keys">[]> =>
    db
      .selectFrom("api_keys")
      .selectAll()
      .where("owner", "=", owner)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .execute(),

  apiKeysByHash: async (hashes: readonly string[]): Promise<readonly RowOf<"api_keys">[]> =>
    hashes.length === 0 ? [] : db.selectFrom("api_keys").selectAll().where("hash", "in", hashes).execute(),

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
      .select(["owner", "id", "thread", "title", "messages", "redacted", "people", "created_at"])
      .where("owner", "=", owner);
    return (thread === null ? query : query.where("thread", "=", thread))
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .execute();
  },

  apiRequest: (owner: string, id: string): Promise<RowOf<"api_requests"> | undefined> =>
    db.selectFrom("api_requests").selectAll().where("owner", "=", owner).where("id", "=", id).executeTakeFirst(),

  /** Places of the answers to requests that sent this conversation, newest first. */
  apiRequestsWith: (
    owner: string,
    hash: string,
    limit: number,
  ): Promise<readonly Pick<RowOf<"api_requests">, "id" | "thread" | "message" | "step">[]> =>
    db
      .selectFrom("api_requests")
      .select(["id", "thread", "message", "step"])
      .where("owner", "=", owner)
      .where("hash", "=", hash)
      .orderBy("created_at", "desc")
      .limit(limit)
      .execute(),

  apiRequestsOf: (thread: string): Promise<readonly RowOf<"api_requests">[]> =>
    db.selectFrom("api_requests").selectAll().where("thread", "=", thread).orderBy("created_at").execute(),

  /** Whether a thread has a request that its owner can read again. */
  hasStoredApiRequest: async (owner: string, thread: string): Promise<boolean> => {
    const query = db.selectFrom("api_requests").select("id").where("thread", "=", thread).where("owner", "=", owner);
    return (await query.where("stored", "=", 1).limit(1).execute()).length > 0;
  },

  share: (owner: string, id: string): Promise<RowOf<"shares"> | undefined> =>
    db.selectFrom("shares").selectAll().where("owner", "=", owner).where("id", "=", id).executeTakeFirst(),

  /** Not of a suspended account. */
  shareByHash: (hash: string): Promise<RowOf<"shares"> | undefined> =>
    db.selectFrom("shares").selectAll().where("hash", "=", hash).where(ownerIsActive("shares")).executeTakeFirst(),
});
