import { sql, type Kysely, type RawBuilder } from "kysely";
import type { RowOf, Tables } from "../schema.ts";
import type { Dialect } from "./reads.ts";
import { DAY_MS } from "../../lib/clock.ts";

type CostQuery = {
  readonly owner: string;
  /** Milliseconds; `from` is inclusive, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  readonly by: "day" | "model" | "thread" | "purpose";
  readonly thread?: string | undefined;
};

export type CostSum = {
  /** The day, model, thread or purpose. A day is its number since 1970, UTC. */
  readonly key: string | number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly costUsd: number;
  readonly unpriced: number;
};

type SpendingRow = {
  readonly costUsd: number;
  /** The part of calls that were made with the user's own keys. */
  readonly ownKeyUsd: number;
  readonly unpriced: number;
};

const nothing: SpendingRow = { costUsd: 0, ownKeyUsd: 0, unpriced: 0 };

/** Columns from which the cost or expected cost of a call is computed. */
type SpentCall = Pick<
  RowOf<"calls">,
  "id" | "thread" | "model" | "outcome" | "cost_usd" | "reserved_usd" | "started_at" | "ended_at" | "own_key"
>;

/** Sums over the ledger, computed in the database. An open call counts with its expected cost. */
export const readCosts = (db: Kysely<Tables>, { toJson }: Dialect) => {
  const tokens = (name: string): RawBuilder<number> =>
    sql<number>`cast(coalesce(sum(cast(${sql.raw(toJson("usage"))} ->> ${sql.lit(name)} as bigint)), 0) as bigint)`;
  const costUsd = sql<number>`coalesce(sum(cost_usd), 0)`.as("costUsd");
  const ownKeyUsd = sql<number>`coalesce(sum(case when own_key = 1 then cost_usd else 0 end), 0)`.as("ownKeyUsd");
  const unpriced =
    sql<number>`cast(coalesce(sum(case when cost_usd is null and outcome <> 'open' then 1 else 0 end), 0) as bigint)`.as(
      "unpriced",
    );
  const groups: Readonly<Record<CostQuery["by"], RawBuilder<string | number>>> = {
    day: sql`started_at / ${sql.lit(DAY_MS)}`,
    model: sql`model`,
    thread: sql`thread`,
    purpose: sql`purpose`,
  };

  return {
    costs: async ({ owner, from, to, by, thread }: CostQuery): Promise<readonly CostSum[]> => {
      let query = db
        .selectFrom("calls")
        .select([
          groups[by].as("key"),
          sql<number>`count(*)`.as("calls"),
          tokens("inputTokens").as("inputTokens"),
          tokens("outputTokens").as("outputTokens"),
          tokens("cacheReadTokens").as("cacheReadTokens"),
          costUsd,
          unpriced,
        ])
        .where("owner", "=", owner)
        .where("started_at", ">=", from)
        .where("started_at", "<", to);
      if (thread !== undefined) query = query.where("thread", "=", thread);
      return query.groupBy(groups[by]).execute();
    },

    /** Sum over calls that started in this period. */
    spent: async (owner: string, from: number, to: number): Promise<SpendingRow> => {
      const query = db.selectFrom("calls").select([costUsd, ownKeyUsd, unpriced]).where("owner", "=", owner);
      const row = await query.where("started_at", ">=", from).where("started_at", "<", to).executeTakeFirst();
      return row ?? nothing;
    },

    /** Sum over a thread's calls that started before this time. O(thread): callers read it once and then add to it. */
    spentIn: async (thread: string, to: number): Promise<SpendingRow> => {
      const query = db.selectFrom("calls").select([costUsd, ownKeyUsd, unpriced]).where("thread", "=", thread);
      return (await query.where("started_at", "<", to).executeTakeFirst()) ?? nothing;
    },

    callsSince: (owner: string, from: number): Promise<readonly SpentCall[]> =>
      db
        .selectFrom("calls")
        .select(["id", "thread", "model", "outcome", "cost_usd", "reserved_usd", "started_at", "ended_at", "own_key"])
        .where("owner", "=", owner)
        .where("started_at", ">=", from)
        .execute(),

    budgets: (owner: string): Promise<readonly RowOf<"budgets">[]> =>
      db.selectFrom("budgets").selectAll().where("owner", "=", owner).execute(),

    budgetGate: (owner: string): Promise<RowOf<"budget_gates"> | undefined> =>
      db.selectFrom("budget_gates").selectAll().where("owner", "=", owner).executeTakeFirst(),
  };
};
