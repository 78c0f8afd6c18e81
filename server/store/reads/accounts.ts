import { sql, type Kysely } from "kysely";
import { runWaiting } from "../codes.ts";
import type { RowOf, Tables } from "../schema.ts";
import type { Ask } from "./cached-queries.ts";

/** For conditions on tables with a column `owner`: their owner has no suspended account. */
export const ownerIsActive = (table: "jobs" | "shares") =>
  sql<boolean>`not exists (select 1 from accounts where accounts.id = ${sql.ref(`${table}.owner`)}
    and accounts.state = ${sql.lit("suspended")})`;

export type FactorCounts = {
  readonly authenticators: ReadonlySet<string>;
  readonly passkeys: ReadonlyMap<string, number>;
};

/** Accounts, their sessions, factors and links, and the audit log. */
export const readAccounts = (db: Kysely<Tables>, ask: Ask) => ({
  account: async (id: string): Promise<RowOf<"accounts"> | undefined> => {
    const [row] = await ask("account", [id], ([id]) => db.selectFrom("accounts").selectAll().where("id", "=", id));
    return row;
  },

  accountByEmail: (email: string): Promise<RowOf<"accounts"> | undefined> =>
    db.selectFrom("accounts").selectAll().where("email", "=", email).executeTakeFirst(),

  accountsById: async (ids: readonly string[]): Promise<readonly RowOf<"accounts">[]> =>
    ids.length === 0 ? [] : db.selectFrom("accounts").selectAll().where("id", "in", ids).execute(),

  /** All accounts, by name. */
  accounts: (): Promise<readonly RowOf<"accounts">[]> =>
    db.selectFrom("accounts").selectAll().orderBy("name").orderBy("id").execute(),

  hasAccounts: async (): Promise<boolean> =>
    (await db.selectFrom("accounts").select("id").limit(1).execute()).length > 0,

  /** Whether the user has an account that is suspended. */
  isSuspended: async (userId: string): Promise<boolean> => {
    const rows = await ask("isSuspended", [userId], ([id]) =>
      db.selectFrom("accounts").select("id").where("id", "=", id).where("state", "=", sql.lit("suspended")),
    );
    return rows.length > 0;
  },

  /** Whether any account is suspended. */
  hasSuspended: async (): Promise<boolean> => {
    const rows = await ask("hasSuspended", [], () =>
      db.selectFrom("accounts").select("id").where("state", "=", sql.lit("suspended")).limit(sql.lit(1)),
    );
    return rows.length > 0;
  },

  /** `isSuspended` for the owner of a thread. In a shared thread, each input and run belongs to the user who asked. */
  isOfSuspended: async (thread: string): Promise<boolean> => {
    const rows = await ask("isOfSuspended", [thread], ([thread]) =>
      db
        .selectFrom("threads")
        .innerJoin("accounts", "accounts.id", "threads.owner")
        .select("threads.id")
        .where("threads.id", "=", thread)
        .where("threads.shared", "=", sql.lit(0))
        .where("accounts.state", "=", sql.lit("suspended")),
    );
    return rows.length > 0;
  },

  /** Most recently used first. */
  sessionsOf: (owner: string): Promise<readonly RowOf<"sessions">[]> =>
    db
      .selectFrom("sessions")
      .selectAll()
      .where("owner", "=", owner)
      .orderBy("used_at", "desc")
      .orderBy("created_at", "desc")
      .orderBy("id_hash")
      .execute(),

  /** Runs of the user that have not ended, with their threads. Not those that wait for the user: they cost nothing. */
  liveRunsOf: (owner: string): Promise<readonly { readonly id: string; readonly thread: string }[]> =>
    db
      .selectFrom("runs")
      .innerJoin("threads", "threads.id", "runs.thread")
      .select(["runs.id", "runs.thread"])
      .where("runs.ended", "=", sql.lit(0))
      .where("runs.waiting", "<>", sql.lit(runWaiting.forUser))
      .where(sql<boolean>`coalesce(runs.asker, threads.owner) = ${owner}`)
      .execute(),

  linkByHash: (hash: string): Promise<RowOf<"links"> | undefined> =>
    db.selectFrom("links").selectAll().where("hash", "=", hash).executeTakeFirst(),

  /** Sign-up links that have expired. */
  expiredSignUps: (now: number, limit: number): Promise<readonly RowOf<"links">[]> =>
    db
      .selectFrom("links")
      .selectAll()
      .where("kind", "=", "sign-up")
      .where("expires_at", "<=", now)
      .limit(limit)
      .execute(),

  identity: (issuer: string, subject: string): Promise<RowOf<"identities"> | undefined> =>
    db
      .selectFrom("identities")
      .selectAll()
      .where("issuer", "=", issuer)
      .where("subject", "=", subject)
      .executeTakeFirst(),

  /** Oldest first. */
  identitiesOf: (account: string): Promise<readonly RowOf<"identities">[]> =>
    db
      .selectFrom("identities")
      .selectAll()
      .where("account", "=", account)
      .orderBy("created_at")
      .orderBy("id")
      .execute(),

  passkey: (credential: string): Promise<RowOf<"passkeys"> | undefined> =>
    db.selectFrom("passkeys").selectAll().where("credential", "=", credential).executeTakeFirst(),

  /** Oldest first. */
  passkeysOf: (account: string): Promise<readonly RowOf<"passkeys">[]> =>
    db.selectFrom("passkeys").selectAll().where("account", "=", account).orderBy("created_at").orderBy("id").execute(),

  authenticator: (account: string): Promise<RowOf<"authenticators"> | undefined> =>
    db.selectFrom("authenticators").selectAll().where("account", "=", account).executeTakeFirst(),

  /** Those that were not used. */
  recoveryCodesOf: (account: string): Promise<readonly RowOf<"recovery_codes">[]> =>
    db.selectFrom("recovery_codes").selectAll().where("account", "=", account).where("used", "=", 0).execute(),

  /** Which accounts have an authenticator app, and how many passkeys each has. */
  factorsByAccount: async (): Promise<FactorCounts> => {
    const apps = await db.selectFrom("authenticators").select("account").execute();
    const passkeys = await db
      .selectFrom("passkeys")
      .select(({ fn }) => ["account", fn.countAll<number | string>().as("count")])
      .groupBy("account")
      .execute();
    return {
      authenticators: new Set(apps.map(({ account }) => account)),
      passkeys: new Map(passkeys.map(({ account, count }) => [account, Number(count)])),
    };
  },

  expiredStates: (now: number, limit: number): Promise<readonly RowOf<"used_states">[]> =>
    db.selectFrom("used_states").selectAll().where("expires_at", "<=", now).limit(limit).execute(),

  /** Newest first. */
  invitations: (): Promise<readonly RowOf<"links">[]> =>
    db
      .selectFrom("links")
      .selectAll()
      .where("kind", "=", "invite")
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .execute(),

  /** Newest first; ids are ordered by time. With null: from the newest. */
  auditEntries: (before: string | null, limit: number): Promise<readonly RowOf<"audit">[]> => {
    const all = db.selectFrom("audit").selectAll().orderBy("id", "desc").limit(limit);
    return (before === null ? all : all.where("id", "<", before)).execute();
  },
});
