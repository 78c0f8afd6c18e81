import type { z } from "zod";
import type { Call } from "../../protocol/api.ts";
import type { Reason, RunView, Usage } from "../../protocol/run.ts";
import type { RowOf } from "../store/schema.ts";
import { toRunState } from "./state.ts";

export const toRun = (row: RowOf<"runs">): RunView => toRunState(row).view;

export const toCall = (row: RowOf<"calls">): z.infer<typeof Call> => ({
  id: row.id,
  purpose: row.purpose,
  step: row.step,
  attempt: row.attempt,
  model: row.model,
  answeredBy: row.answered_by,
  provider: row.provider,
  outcome: row.outcome,
  reason: row.reason === null ? null : (JSON.parse(row.reason) as Reason),
  usage: JSON.parse(row.usage) as Usage,
  costUsd: row.cost_usd,
  receiptId: row.receipt,
  startedAt: row.started_at,
  endedAt: row.ended_at,
});
