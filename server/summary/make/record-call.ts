import type { ModelRequest } from "../../../protocol/model.ts";
import { noUsage } from "../../../protocol/run.ts";
import { boundCost, costOf, expectCost, type BudgetRefusal, type ReserveBudget } from "../../cost/cost.ts";
import type { ClaimedJob } from "../../jobs/jobs.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Log } from "../../log/log.ts";
import type { Model, Models } from "../../model/model.ts";
import type { Reads } from "../../store/contract.ts";
import { askModel, countRequest, type Reply, type Timeouts } from "./ask-model.ts";

export type RecordDeps = {
  readonly read: Pick<Reads, "callsOfJob">;
  readonly log: Pick<Log, "commit">;
  readonly models: Pick<Models, "find">;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Reserves the cost of a call in the budgets, or returns why the call is not allowed. */
  readonly reserveBudget: ReserveBudget;
  readonly timeouts?: Timeouts;
};

type RecordedCall = {
  /** The purpose under which `/api/costs` counts the call. */
  readonly purpose: "summary" | "title";
  readonly model: Model;
  readonly request: ModelRequest;
  readonly attempt: number;
  readonly signal: AbortSignal;
};

/** Makes one model call of a job. It is recorded before it is made, and its cost is reserved in the budgets. */
export async function callRecorded(
  { log, clock, ids, timeouts, reserveBudget }: RecordDeps,
  job: ClaimedJob,
  { purpose, model, request, attempt, signal }: RecordedCall,
): Promise<Reply | { readonly refused: BudgetRefusal }> {
  const id = ids.next();
  const promptTokens = countRequest(request);
  const expected = expectCost({ promptTokens, model: model.info });
  await log.commit({
    events: [],
    writes: [
      {
        do: "insert",
        table: "calls",
        row: {
          id,
          thread: job.threadId ?? "",
          run: null,
          purpose,
          step: 0,
          attempt,
          model: model.info.id,
          answered_by: null,
          provider: model.info.provider,
          outcome: "open",
          reason: null,
          usage: JSON.stringify(noUsage),
          cost_usd: expected,
          reserved_usd: null,
          receipt: null,
          started_at: clock.now(),
          ended_at: null,
          owner: job.ownerId,
          job: job.id,
          own_key: model.usesOwnKey ? 1 : 0,
        },
      },
    ],
  });
  const refused = await reserveBudget({
    callId: id,
    owner: job.ownerId,
    threadId: job.threadId ?? "",
    model: model.info.id,
    usesOwnKey: model.usesOwnKey === true,
    expectedUsd: expected,
    maxUsd: boundCost({ promptTokens, maxOutputTokens: request.maxOutputTokens, model: model.info }),
  });
  if (refused) {
    const reason = JSON.stringify({ code: "budget", text: refused.text });
    const end = { outcome: "refused", reason, cost_usd: 0, ended_at: clock.now() };
    await log.commit({ events: [], writes: [{ do: "update", table: "calls", set: end, where: { id } }] });
    return { refused };
  }
  const reply = await askModel(model, request, signal, timeouts);
  const set = {
    outcome: reply.ok ? "ok" : signal.aborted ? "stopped" : "failed",
    reason: reply.ok ? null : JSON.stringify({ code: reply.failure.code, text: reply.failure.text }),
    usage: JSON.stringify(reply.usage),
    cost_usd: reply.costUsd,
    answered_by: reply.answeredBy,
    ended_at: clock.now(),
  };
  await log.commit({ events: [], writes: [{ do: "update", table: "calls", set, where: { id } }] });
  return reply;
}

/** Closes calls of a crashed process. They count as paid, because they were sent. */
export async function closeLost(
  { read, log, models, clock }: RecordDeps,
  job: ClaimedJob,
  promptTokens: number,
): Promise<void> {
  const open = (await read.callsOfJob(job.threadId ?? "", job.id)).filter(({ outcome }) => outcome === "open");
  if (open.length === 0) return;
  const usage = { ...noUsage, inputTokens: promptTokens, estimated: true };
  await log.commit({
    events: [],
    writes: open.map(({ id, model }) => {
      const prices = models.find(model)?.info.prices;
      const set = {
        outcome: "lost",
        usage: JSON.stringify(usage),
        cost_usd: prices ? costOf(usage, prices) : null,
        ended_at: clock.now(),
      };
      return { do: "update", table: "calls", set, where: { id } };
    }),
  });
}
