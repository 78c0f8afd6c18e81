import { createHash, createHmac } from "node:crypto";
import type { SessionView } from "../../protocol/account/accounts.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { randomKey } from "../lib/random.ts";
import type { Log } from "../log/log.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { noAudit, type PlanAudit } from "./audit.ts";
import type { Principal } from "./principal.ts";

type Session = RowOf<"sessions">;
type SessionMethod = Session["method"];
type SessionReads = Pick<Reads, "sessions" | "sessionsOf" | "endedSessions">;

/** Where a session is signed in. */
export type BrowserInfo = { readonly address: string; readonly agent?: string };
type Writes = readonly Write[];

/**
 * Browser sessions: a random id in a cookie, its keyed hash in the database, valid on every node. A session ends on
 * sign-out, on expiry, or when the token changes, because the token is the key of the hash. Nothing is cached: the next
 * request on any node refuses an ended session. The `plan` functions return writes for the caller's batch.
 */
export type Sessions = {
  /** Returns a new session's id, for the cookie. */
  readonly open: (userId: string, browser: BrowserInfo) => Promise<string>;
  readonly planOpen: (
    userId: string,
    browser: BrowserInfo & { readonly method: SessionMethod },
  ) => Promise<{ readonly id: string; readonly writes: Writes }>;
  /** Returns the valid sessions among these ids. */
  readonly find: (ids: readonly string[]) => Promise<readonly Session[]>;
  readonly end: (ids: readonly string[], address?: string) => Promise<readonly Session[]>;
  /** Returns the hashes whose session has ended. */
  readonly findEnded: (hashes: readonly string[]) => Promise<readonly string[]>;
  /** The user's valid sessions, most recently used first. */
  readonly list: (principal: Principal) => Promise<readonly SessionView[]>;
  /** Throws `not-found` unless it is the user's. `owner`: whose session, if an admin ends it. */
  readonly endOne: (principal: Principal, sessionId: string, owner?: string) => Promise<{ id: string }>;
  /** Ends all sessions of the user except that of this request. `ended` is their number. */
  readonly endOthers: (principal: Principal) => Promise<{ ended: number }>;
  readonly planEndOthers: (principal: Principal) => Promise<{ readonly ended: number; readonly writes: Writes }>;
};

export const SESSION_SECONDS = 30 * 24 * 3600;
const ID_BYTES = 32;
/** Maximum session ids read from one cookie header. A browser never sends more. */
const MAX_IDS = 8;
const SWEEP_BATCH = 100;
/** Resolution of the last-use time, to avoid a write per request. */
const LAST_USE_RESOLUTION_MS = 3_600_000;
const MAX_AGENT_CHARACTERS = 200;

type Options = {
  /** Key of the hashes. */
  readonly token: string;
  readonly clock: Clock;
  readonly read: SessionReads;
  readonly log: Pick<Log, "commit">;
  readonly planAudit?: PlanAudit;
  /** Returns the ids of users whose sessions are valid. Default: all. */
  readonly findActive?: (owners: readonly string[]) => Promise<ReadonlySet<string>>;
  /** A write to a row of the user. Batches that end all their sessions begin with it, so that they run one after the other. */
  readonly planLock?: (owner: string) => Writes;
};

export function createSessions(options: Options): Sessions {
  const { token, clock, read, log, planAudit = noAudit, findActive, planLock = () => [] } = options;
  const hash = (id: string): string => createHmac("sha256", token).update(`session:${id}`).digest("base64url");

  const isLive = ({ expires_at }: Session): boolean => expires_at > clock.now();

  const findLive = async (hashes: readonly string[]): Promise<readonly Session[]> => {
    if (hashes.length === 0) return [];
    const rows = (await read.sessions(hashes)).filter(isLive);
    if (!findActive || rows.length === 0) return rows;
    const active = await findActive(rows.map(({ owner }) => owner));
    return rows.filter(({ owner }) => active.has(owner));
  };
  const find: Sessions["find"] = (ids) => findLive(ids.slice(0, MAX_IDS).map(hash));

  const planOpen: Sessions["planOpen"] = async (owner, { address, agent = "", method }) => {
    const id = randomKey(ID_BYTES);
    const now = clock.now();
    const ended = await read.endedSessions(now, SWEEP_BATCH);
    const row: Session = {
      ...{ id_hash: hash(id), owner, address, method, agent: agent.slice(0, MAX_AGENT_CHARACTERS) },
      ...{ created_at: now, used_at: now, proved_at: now, expires_at: now + SESSION_SECONDS * 1000 },
    };
    return { id, writes: [...ended.flatMap(planEnd), { do: "insert", table: "sessions", row }] };
  };

  /**
   * Deletes all and inserts the current one again, so that a concurrent sign-in cannot be missed. The batch fails with `missing`
   * if the current one has ended.
   */
  const planEndOthers: Sessions["planEndOthers"] = async ({ userId: owner, session }) => {
    const rows = (await read.sessionsOf(owner)).filter(isLive);
    const current = rows.find(({ id_hash }) => id_hash === session);
    return {
      ended: rows.length - (current ? 1 : 0),
      writes: [
        ...planLock(owner),
        ...(current ? [planUse(current, clock.now())] : []),
        { do: "delete", table: "sessions", where: { owner } },
        ...(current ? [{ do: "insert", table: "sessions", row: current } as const] : []),
        ...rows.flatMap(({ id_hash }) => (id_hash === session ? [] : planEndPush(id_hash))),
      ],
    };
  };

  return {
    planOpen,
    planEndOthers,
    open: async (userId, browser) => {
      const { id, writes } = await planOpen(userId, { ...browser, method: "token" });
      await log.commit({ events: [], writes });
      return id;
    },
    find: async (ids) => {
      const found = await find(ids);
      const used_at = clock.now();
      const stale = found.filter((session) => session.used_at < used_at - LAST_USE_RESOLUTION_MS);
      if (stale.length === 0) return found;
      const writes = stale.map(
        ({ id_hash }) => ({ do: "update", table: "sessions", set: { used_at }, where: { id_hash } }) as const,
      );
      await log.commit({ events: [], writes });
      return found;
    },
    end: async (ids, address = "") => {
      const found = await find(ids);
      if (found.length === 0) return found;
      const writes = found.flatMap(({ id_hash, owner }) => [
        ...planEnd(id_hash),
        ...planAudit({ action: "signed-out", actor: { userId: owner }, target: owner, address }),
      ]);
      await log.commit({ events: [], writes });
      return found;
    },
    list: async ({ userId, session }) =>
      (await read.sessionsOf(userId)).filter(isLive).map((row) => toView(row, row.id_hash === session)),
    endOne: async (principal, sessionId, owner = principal.userId) => {
      const row = (await read.sessionsOf(owner)).find(({ id_hash }) => toPublicId(id_hash) === sessionId);
      if (!row) throw new ApiError("not-found", "Not found.");
      const action = owner === principal.userId ? "session-ended" : "session-ended-by-admin";
      const audit = planAudit({ action, actor: principal, target: owner });
      await log.commit({ events: [], writes: [...planEnd(row.id_hash), ...audit] });
      return { id: sessionId };
    },
    endOthers: async (principal) => {
      const { ended, writes } = await planEndOthers(principal);
      const detail = { ended };
      const audit = planAudit({ action: "other-sessions-ended", actor: principal, target: principal.userId, detail });
      const { ok } = await log.commit({ events: [], writes: [...writes, ...audit] });
      if (ok) return { ended };
      throw new ApiError("unauthenticated", "Your session has ended. Sign in again.");
    },
    findEnded: async (hashes) => {
      const live = new Set((await findLive(hashes)).map(({ id_hash }) => id_hash));
      return hashes.filter((one) => !live.has(one));
    },
  };
}

/** Its browser gets no more notifications. */
const planEndPush = (session: string): Writes => [{ do: "delete", table: "push_subscriptions", where: { session } }];

const planEnd = (id_hash: string): Writes => [
  { do: "delete", table: "sessions", where: { id_hash } },
  ...planEndPush(id_hash),
];

const planUse = ({ id_hash }: Session, used_at: number): Write => ({
  ...{ do: "update", table: "sessions", set: { used_at }, where: { id_hash }, expectOne: true },
});

/** The hash of the id is enough to recognize the session in the database, so responses have a hash of it. */
const toPublicId = (idHash: string): string => createHash("sha256").update(idHash).digest("base64url").slice(0, 22);

const toView = (row: Session, current: boolean): SessionView => ({
  ...{ id: toPublicId(row.id_hash), current, agent: row.agent, address: row.address, method: row.method },
  ...{ createdAt: row.created_at, usedAt: row.used_at, expiresAt: row.expires_at },
});
