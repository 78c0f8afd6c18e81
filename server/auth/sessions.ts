import { createHmac } from "node:crypto";
import type { Clock } from "../lib/clock.ts";
import { randomKey } from "../lib/random.ts";
import type { Log } from "../log/log.ts";
import type { Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";

type Session = RowOf<"sessions">;
type SessionReads = Pick<Reads, "sessions" | "endedSessions">;

/**
 * Browser sessions: a random id in a cookie, its keyed hash in the database, valid on every node. A session ends on
 * sign-out, on expiry, or when the token changes, because the token is the key of the hash. Nothing is cached: the next
 * request on any node refuses an ended session.
 */
export type Sessions = {
  /** Returns a new session's id, for the cookie. */
  readonly open: (userId: string) => Promise<string>;
  /** Returns the valid sessions among these ids. */
  readonly find: (ids: readonly string[]) => Promise<readonly Session[]>;
  readonly end: (ids: readonly string[]) => Promise<readonly Session[]>;
  /** Returns those of these hashes whose session has ended. */
  readonly findEnded: (hashes: readonly string[]) => Promise<readonly string[]>;
};

export const SESSION_SECONDS = 30 * 24 * 3600;
const ID_BYTES = 32;
/** Maximum session ids read from one cookie header. A browser never sends more. */
const MAX_IDS = 8;
const SWEEP_BATCH = 100;
/** Resolution of the last-use time, to avoid a write per request. */
const LAST_USE_RESOLUTION_MS = 3_600_000;

type Options = {
  readonly token: string;
  readonly clock: Clock;
  readonly read: SessionReads;
  readonly log: Pick<Log, "commit">;
};

export function createSessions({ token, clock, read, log }: Options): Sessions {
  const hash = (id: string): string => createHmac("sha256", token).update(`session:${id}`).digest("base64url");

  const findLive = async (hashes: readonly string[]): Promise<readonly Session[]> => {
    if (hashes.length === 0) return [];
    return (await read.sessions(hashes)).filter(({ expires_at }) => expires_at > clock.now());
  };
  const find: Sessions["find"] = (ids) => findLive(ids.slice(0, MAX_IDS).map(hash));

  return {
    open: async (userId) => {
      const id = randomKey(ID_BYTES);
      const now = clock.now();
      const expires_at = now + SESSION_SECONDS * 1000;
      const ended = await read.endedSessions(now, SWEEP_BATCH);
      await log.commit({
        events: [],
        writes: [
          ...ended.map((id_hash) => ({ do: "delete", table: "sessions", where: { id_hash } }) as const),
          {
            do: "insert",
            table: "sessions",
            row: { id_hash: hash(id), owner: userId, created_at: now, expires_at, used_at: now },
          },
        ],
      });
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
    end: async (ids) => {
      const found = await find(ids);
      if (found.length === 0) return found;
      const writes = found.map(({ id_hash }) => ({ do: "delete", table: "sessions", where: { id_hash } }) as const);
      await log.commit({ events: [], writes });
      return found;
    },
    findEnded: async (hashes) => {
      const live = new Set((await findLive(hashes)).map(({ id_hash }) => id_hash));
      return hashes.filter((one) => !live.has(one));
    },
  };
}
