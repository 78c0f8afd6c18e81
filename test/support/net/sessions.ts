import {
  createApiKeys,
  createAuthentication,
  createSessions,
  type ApiKeys,
  type TokenAuthentication,
} from "../../../server/auth/authenticate.ts";
import type { Clock } from "../../../server/lib/clock.ts";
import type { RowOf } from "../../../server/store/schema.ts";

export type SessionRows = Map<string, RowOf<"sessions">>;

/** Sign-in by token with sessions in memory, for tests without a database. */
export function authenticateInMemory(
  token: string | null,
  clock: Clock,
  rows: SessionRows = new Map(),
  keys: Pick<ApiKeys, "find" | "findLive"> = keysInMemory(clock),
): TokenAuthentication {
  const sessions = createSessions({
    token: token ?? "",
    clock,
    read: {
      sessions: async (hashes) => hashes.flatMap((hash) => rows.get(hash) ?? []),
      sessionsOf: async (owner) => [...rows.values()].filter((row) => row.owner === owner),
      endedSessions: async (at) => [...rows.values()].filter((row) => row.expires_at <= at).map((row) => row.id_hash),
    },
    log: {
      commit: async ({ writes }) => {
        for (const write of writes) {
          if (write.table !== "sessions" || write.do === "put") continue;
          if (write.do === "insert") rows.set(String(write.row.id_hash), write.row as RowOf<"sessions">);
          const found = write.do === "insert" ? undefined : rows.get(String(write.where.id_hash));
          if (write.do === "delete" && found) rows.delete(found.id_hash);
          if (write.do === "update" && found) rows.set(found.id_hash, { ...found, ...write.set } as typeof found);
        }
        return { ok: true, seqs: [], epoch: null };
      },
    },
  });
  return createAuthentication({ token, clock, sessions, keys });
}

/** API keys in memory. */
export function keysInMemory(clock: Clock, rows: RowOf<"api_keys">[] = []): ApiKeys {
  return createApiKeys({
    clock,
    read: {
      apiKeys: async (owner) => rows.filter((row) => row.owner === owner),
      apiKeysByHash: async (hashes) => rows.filter((row) => hashes.includes(row.hash)),
    },
    log: {
      commit: async ({ writes }) => {
        for (const write of writes) {
          if (write.table !== "api_keys" || write.do === "put") continue;
          const row = write.do === "insert" ? (write.row as RowOf<"api_keys">) : undefined;
          const at = rows.findIndex(({ id }) => id === (write.do === "insert" ? write.row.id : write.where.id));
          if (row && at !== -1) return { ok: false, why: "conflict" };
          if (row) rows.push(row);
          else if (write.do === "delete") rows.splice(at, 1);
          else if (write.do === "update") rows[at] = { ...rows[at], ...write.set } as RowOf<"api_keys">;
        }
        return { ok: true, seqs: [], epoch: null };
      },
    },
    onError: (error) => {
      throw error;
    },
  });
}
