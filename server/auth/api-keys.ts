import { createHash } from "node:crypto";
import type { Body } from "../../protocol/api.ts";
import { keyLimits, type ApiKey } from "../../protocol/account/keys.ts";
import { ApiError } from "../../protocol/errors.ts";
import { userStream } from "../../protocol/ids.ts";
import { KEY_PREFIX, scopes as allScopes, type Scope } from "../../protocol/scopes.ts";
import type { Clock } from "../lib/clock.ts";
import { randomKey } from "../lib/random.ts";
import type { Log } from "../log/log.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { noAudit, type PlanAudit } from "./audit.ts";
import { isByProxy, type Principal } from "./principal.ts";

type Row = RowOf<"api_keys">;

/**
 * API keys: a random token that is shown once, its hash in the database, valid on every node. A key ends when it is revoked
 * or expires. Nothing is cached: the next request on any node refuses an ended key.
 */
export type ApiKeys = ReturnType<typeof createApiKeys>;

type Options = {
  readonly clock: Clock;
  readonly read: Pick<Reads, "apiKeys" | "apiKeysByHash">;
  readonly log: Pick<Log, "commit">;
  /** Called if the time of the last use cannot be stored. The request is handled anyway. */
  readonly onError: (error: unknown) => void;
  readonly planAudit?: PlanAudit;
  /** Returns the ids of users whose keys are valid. Default: all. */
  readonly findActive?: (owners: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Throws unless the user of this session has proved recently who they are. Default: no proof is needed. */
  readonly assertRecentProof?: (principal: Principal) => Promise<void>;
};

const TOKEN_BYTES = 32;
const START_CHARACTERS = KEY_PREFIX.length + 5;
/** Resolution of the last-use time, to avoid a write per request. */
const LAST_USE_RESOLUTION_MS = 60_000;

export function createApiKeys(options: Options) {
  const { clock, read, log, onError, planAudit = noAudit, findActive, assertRecentProof } = options;
  const isLive = ({ expires_at }: Row): boolean => expires_at === null || expires_at > clock.now();

  const findLive = async (hashes: readonly string[]): Promise<readonly Row[]> => {
    const rows = (await read.apiKeysByHash(hashes)).filter(isLive);
    if (!findActive || rows.length === 0) return rows;
    const active = await findActive(rows.map(({ owner }) => owner));
    return rows.filter(({ owner }) => active.has(owner));
  };

  /** When each key's use was last recorded. Includes failed writes, so that a full disk does not cost a write per request. */
  const recordedAt = new Map<string, number>();
  const recordUse = async ({ owner, id, hash, used_at }: Row): Promise<void> => {
    const now = clock.now();
    const ago = now - Math.max(used_at ?? 0, recordedAt.get(hash) ?? 0);
    if (ago >= 0 && ago < LAST_USE_RESOLUTION_MS) return;
    recordedAt.set(hash, now);
    const write: Write = { do: "update", table: "api_keys", set: { used_at: now }, where: { owner, id } };
    await log.commit({ events: [], writes: [write] }).catch(onError);
  };

  const commit = async (owner: string, writes: readonly Write[]): Promise<boolean> => {
    const events = [{ stream: userStream(owner), event: { type: "keys-changed" as const } }];
    return (await log.commit({ events, writes })).ok;
  };

  /** A key cannot create one that outlives it. Without a date the new one expires with it. */
  const toExpiry = async ({ key }: Principal, wanted: number | null): Promise<number | null> => {
    const creator = key && (await read.apiKeysByHash([key.hash]))[0];
    const latest = creator?.expires_at ?? null;
    if (latest === null || (wanted !== null && wanted <= latest)) return wanted;
    if (wanted === null) return latest;
    const text = `This API key expires at ${new Date(latest).toISOString()}, and a key that it creates cannot expire later.`;
    throw new ApiError("forbidden", `${text} Choose an earlier date, or create the key in the settings.`);
  };

  return {
    /** Returns the principal of a valid token, and records its use. */
    find: async (token: string): Promise<Principal | undefined> => {
      const [row] = await findLive([toHash(token)]);
      if (!row) return undefined;
      await recordUse(row);
      return { userId: row.owner, key: { id: row.id, hash: row.hash, scopes: toScopes(row.scopes) } };
    },

    /** Returns those of these hashes whose key is valid. */
    findLive: async (hashes: readonly string[]): Promise<readonly string[]> =>
      (await findLive(hashes)).map(({ hash }) => hash),

    list: async ({ userId }: Principal): Promise<{ keys: ApiKey[] }> => ({
      keys: (await read.apiKeys(userId)).map(toKey),
    }),

    create: async (principal: Principal, body: Body<"createKey">): Promise<{ key: ApiKey; token: string }> => {
      const owner = principal.userId;
      const isBySession = principal.session !== undefined && !isByProxy(principal);
      if (isBySession) await assertRecentProof?.(principal);
      const expires_at = await toExpiry(principal, body.expiresAt ?? null);
      const scopes = allScopes.filter((scope) => body.scopes.includes(scope));
      assertOwnScopes(principal, scopes);
      if (expires_at !== null && expires_at <= clock.now()) {
        throw new ApiError("invalid", "The key would already have expired. Choose a later date.");
      }
      if ((await read.apiKeys(owner)).length >= keyLimits.perUser) {
        throw new ApiError("too-large", `You already have ${keyLimits.perUser} API keys. Revoke one first.`);
      }
      const token = `${KEY_PREFIX}${randomKey(TOKEN_BYTES)}`;
      const row: Row = {
        ...{ owner, id: body.id, hash: toHash(token), name: body.name, scopes: scopes.join(" "), expires_at },
        start: token.slice(0, START_CHARACTERS),
        created_at: clock.now(),
        used_at: null,
      };
      const detail = { key: row.id, name: row.name, scopes: row.scopes };
      const audit = planAudit({ action: "key-created", actor: principal, target: owner, detail });
      if (await commit(owner, [{ do: "insert", table: "api_keys", row }, ...audit])) return { key: toKey(row), token };
      const text = "A key with this id exists, and its token cannot be shown again. Revoke it, or use a new id.";
      throw new ApiError("conflict", text);
    },

    /** `owner`: whose key, if an admin revokes it. */
    revoke: async (principal: Principal, id: string, owner = principal.userId): Promise<{ id: string }> => {
      if (!(await read.apiKeys(owner)).some((row) => row.id === id)) throw new ApiError("not-found", "Not found.");
      const action = owner === principal.userId ? "key-revoked" : "key-revoked-by-admin";
      const audit = planAudit({ action, actor: principal, target: owner, detail: { key: id } });
      await commit(owner, [{ do: "delete", table: "api_keys", where: { owner, id } }, ...audit]);
      return { id };
    },
  };
}

/** Throws unless the request may use routes with this scope. Without a key, all scopes are allowed. */
export function assertScope({ key }: Principal, scope: Scope): void {
  if (key === undefined || key.scopes.includes(scope)) return;
  throw new ApiError("forbidden", `This API key lacks the scope "${scope}". Create a key that has it in the settings.`);
}

/** A key cannot create a key that may do more. */
function assertOwnScopes(principal: Principal, scopes: readonly Scope[]): void {
  for (const scope of scopes) assertScope(principal, scope);
}

const toHash = (token: string): string => createHash("sha256").update(token).digest("base64url");

const toScopes = (text: string): readonly Scope[] => {
  const stored = text.split(" ");
  return allScopes.filter((scope) => stored.includes(scope));
};

const toKey = (row: Row): ApiKey => ({
  id: row.id,
  name: row.name,
  start: row.start,
  scopes: [...toScopes(row.scopes)],
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  usedAt: row.used_at,
});
