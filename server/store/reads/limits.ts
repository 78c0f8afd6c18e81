import { sql, type Kysely } from "kysely";
import type { RowOf, Tables } from "../schema.ts";
import type { Ask } from "./cached-queries.ts";

type StoredBytes = { readonly attachments: number; readonly files: number; readonly imports: number };

/** Limits set by admins, and what they limit. */
export const readLimits = (db: Kysely<Tables>, ask: Ask) => ({
  /** The rows of a role and of a user, if any. */
  limits: (role: string, user: string): Promise<readonly RowOf<"limits">[]> =>
    ask("limits", [role, user], ([role, user]) =>
      db
        .selectFrom("limits")
        .selectAll()
        .where(({ eb, or }) => or([eb("subject", "=", role), eb("subject", "=", user)])),
    ),

  /** Bytes that count for the user's storage. */
  storedBytesOf: async (owner: string): Promise<StoredBytes> => {
    const sum = (name: string) => sql<number>`cast(coalesce(sum(${sql.ref(name)}), 0) as bigint)`.as("bytes");
    const [attachments, files, imports] = await Promise.all([
      // Each content is stored once, however many files have it: copies of a thread refer to the same content.
      db
        .selectFrom((from) =>
          from
            .selectFrom("attachments")
            .select(["hash", "size_bytes"])
            .distinct()
            .where("owner", "=", owner)
            .as("contents"),
        )
        .select(sum("size_bytes"))
        .executeTakeFirst(),
      db
        .selectFrom("files")
        .innerJoin("projects", "projects.id", "files.project")
        .select(sum("files.bytes"))
        .where("projects.owner", "=", owner)
        .executeTakeFirst(),
      db
        .selectFrom("imports")
        .select(sum("size_bytes"))
        .where("owner", "=", owner)
        .where("state", "in", ["receiving", "running"])
        .executeTakeFirst(),
    ]);
    const toNumber = (row: { readonly bytes: number } | undefined): number => Number(row?.bytes ?? 0);
    return { attachments: toNumber(attachments), files: toNumber(files), imports: toNumber(imports) };
  },

  /** Spending of each of these users since then, with the keys of this server. Users without calls are omitted. */
  spentSince: async (owners: readonly string[], from: number): Promise<ReadonlyMap<string, number>> => {
    if (owners.length === 0) return new Map();
    const rows = await db
      .selectFrom("calls")
      .select(["owner", sql<number>`coalesce(sum(cost_usd), 0)`.as("costUsd")])
      .where("owner", "in", owners)
      .where("started_at", ">=", from)
      .where("own_key", "=", 0)
      .groupBy("owner")
      .execute();
    return new Map(rows.map(({ owner, costUsd }) => [owner, Number(costUsd)]));
  },
});
