import { noUsage } from "../../protocol/run.ts";
import type { Write } from "../store/contract.ts";

/** A search that somebody charges for. `costUsd` null: nobody has said what it costs. */
export type PaidSearch = {
  readonly provider: string;
  readonly costUsd: number | null;
  readonly startedAt: number;
  readonly endedAt: number;
};

type Origin = { readonly id: string; readonly userId: string; readonly threadId: string; readonly runId: string };

/** Its row in the ledger, to be committed with what the search brought. */
export const planSearch = ({ id, userId, threadId, runId }: Origin, search: PaidSearch): Write => ({
  do: "insert",
  table: "calls",
  row: {
    id,
    thread: threadId,
    run: runId,
    purpose: "search",
    step: 0,
    attempt: 1,
    model: `search:${search.provider}`,
    answered_by: null,
    provider: search.provider,
    outcome: "ok",
    reason: null,
    usage: JSON.stringify(noUsage),
    cost_usd: search.costUsd,
    reserved_usd: null,
    receipt: null,
    started_at: search.startedAt,
    ended_at: search.endedAt,
    owner: userId,
    job: null,
  },
});
