import { createAuthentication, createSessions, type Authentication } from "../../../server/auth/authenticate.ts";
import type { Clock } from "../../../server/lib/clock.ts";
import type { RowOf } from "../../../server/store/schema.ts";

export type SessionRows = Map<string, RowOf<"sessions">>;

/** Sign-in by token with sessions in memory, for tests without a database. */
export function authenticateInMemory(
  token: string | null,
  clock: Clock,
  rows: SessionRows = new Map(),
): Authentication {
  const sessions = createSessions({
    token: token ?? "",
    clock,
    read: {
      sessions: async (hashes) => hashes.flatMap((hash) => rows.get(hash) ?? []),
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
  return createAuthentication({ token, clock, sessions });
}
