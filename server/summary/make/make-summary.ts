import type { SummaryFields } from "../../../protocol/context/summary.ts";
import type { ModelRequest } from "../../../protocol/model.ts";
import { noUsage } from "../../../protocol/run.ts";
import { boundCost, costOf, expectCost, type BudgetRefusal, type ReserveBudget } from "../../cost/cost.ts";
import type { ClaimedJob } from "../../jobs/jobs.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Log } from "../../log/log.ts";
import type { Model, Models } from "../../model/model.ts";
import type { Reads } from "../../store/contract.ts";
import { checkFields } from "../check.ts";
import { askModel, countRequest, toRequest, type Reply, type Timeouts } from "./ask-model.ts";
import { boundFields } from "./merge-fields.ts";
import { parseFields } from "./parse-fields.ts";
import type { Material } from "./source.ts";

export type MakeDeps = {
  readonly read: Pick<Reads, "callsOfJob">;
  readonly log: Pick<Log, "commit">;
  readonly models: Pick<Models, "find">;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Reserves the cost of a call in the budgets, or returns why the call is not allowed. */
  readonly reserveBudget: ReserveBudget;
  /** A smaller window than the model claims, learned from its server. */
  readonly findLearned: (model: string) => Promise<{ readonly tokens: number } | null>;
  readonly timeouts?: Timeouts;
};

export type Problem = {
  readonly message: string;
  readonly fallbackAttempts: number;
  readonly lastAttemptModel: string;
};

export type SummaryResult = {
  readonly fields: SummaryFields;
  /** Null: made from sentences of the source, without a model. */
  readonly model: string | null;
  /** Cost of all attempts, including earlier ones of this job. Null: a price is unknown. */
  readonly costUsd: number | null;
  readonly problem: Problem | null;
  /** Whether a later retry may succeed. */
  readonly canRetry: boolean;
};

type SummaryTask = { readonly material: Material; readonly chain: readonly string[]; readonly signal: AbortSignal };

/**
 * Tries one model after another until a reply passes the check. If none does, uses sentences of the source. Each call is recorded
 * before it is made. Throws only when aborted.
 */
export async function makeSummary(
  deps: MakeDeps,
  job: ClaimedJob,
  { material, chain, signal }: SummaryTask,
): Promise<SummaryResult> {
  const budget = toBudget(material.tokens);
  await closeLost(deps, job, countRequest(toRequest(material.lines())));
  const before = await deps.read.callsOfJob(job.threadId ?? "", job.id);
  const asked: {
    readonly model: string;
    readonly costUsd: number | null;
    readonly why: string;
    readonly retryable: boolean;
  }[] = [];
  const sumUp = (problem: boolean): Pick<SummaryResult, "costUsd" | "problem"> => {
    const costs = [...before.map((row) => row.cost_usd), ...asked.map(({ costUsd }) => costUsd)];
    const last = asked.at(-1);
    return {
      costUsd: costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
      problem:
        problem && last
          ? { message: last.why, fallbackAttempts: before.length + asked.length, lastAttemptModel: last.model }
          : null,
    };
  };
  for (const id of chain) {
    const model = deps.models.find(id);
    if (!model) continue;
    const window = Math.min(model.info.windowTokens ?? Infinity, (await deps.findLearned(id))?.tokens ?? Infinity);
    const request = fitRequest(material, window);
    if (!request) {
      asked.push({ model: id, costUsd: 0, why: TOO_SMALL, retryable: false });
      continue;
    }
    const reply = await callRecorded(deps, job, { model, request, attempt: before.length + asked.length + 1, signal });
    signal.throwIfAborted();
    if ("refused" in reply) {
      asked.push({ model: id, costUsd: 0, why: reply.refused.text, retryable: false });
      continue;
    }
    const fields = reply.ok ? toChecked(reply.text, material, budget) : undefined;
    if (fields) {
      asked.push({ model: id, costUsd: reply.costUsd, why: "", retryable: false });
      return { fields, model: id, canRetry: false, ...sumUp(false) };
    }
    const why = reply.ok ? "The model's reply was not a valid summary." : reply.failure.text;
    const retryable = !reply.ok && reply.failure.fault === "provider";
    asked.push({ model: id, costUsd: reply.costUsd, why, retryable });
  }
  const canRetry = asked.some(({ retryable }) => retryable);
  return { fields: extractChecked(material, budget), model: null, canRetry, ...sumUp(true) };
}

const TOO_SMALL = "The model's context window is too small to summarize this.";

/** A request that fits the window together with its answer. Null if there is none. */
function fitRequest(material: Material, window: number): ModelRequest | null {
  const empty = toRequest([]);
  const answer = Math.min(empty.maxOutputTokens ?? 0, Math.floor(window / 4));
  const most = window - answer - countRequest(empty);
  const request = { ...toRequest(material.lines(most)), maxOutputTokens: answer };
  return countRequest(request) + answer <= window ? request : null;
}

/** 200-400 tokens for 2,000. */
const toBudget = (sourceTokens: number): number => Math.round(Math.min(420, Math.max(80, sourceTokens * 0.2)));

/** Undefined if nothing passed the check. If only the overview failed, sentences of the source replace it. */
function toChecked(text: string, material: Material, budget: number): SummaryFields | undefined {
  const parsed = parseFields(text);
  if (!parsed) return undefined;
  const checked = checkFields(parsed, material.source);
  const isEmpty = checked.keyPoints.length + checked.decisions.length + checked.actionItems.length === 0;
  if (checked.overview === "" && isEmpty) return undefined;
  const overview =
    checked.overview === "" ? extractChecked(material, Math.round(budget / 3)).overview : checked.overview;
  return boundFields({ ...checked, overview }, budget);
}

/** Applies the same check, because verbatim sentences may contain injected instructions. */
const extractChecked = (material: Material, budget: number): SummaryFields =>
  boundFields(checkFields(material.extract(budget), material.source), budget);

export const extractOnly = (material: Material): SummaryFields => extractChecked(material, toBudget(material.tokens));

type RecordedCall = {
  readonly model: Model;
  readonly request: ReturnType<typeof toRequest>;
  readonly attempt: number;
  readonly signal: AbortSignal;
};

async function callRecorded(
  { log, clock, ids, timeouts, reserveBudget }: MakeDeps,
  job: ClaimedJob,
  { model, request, attempt, signal }: RecordedCall,
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
          purpose: "summary",
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
        },
      },
    ],
  });
  const refused = await reserveBudget({
    callId: id,
    owner: job.ownerId,
    threadId: job.threadId ?? "",
    model: model.info.id,
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
async function closeLost({ read, log, models, clock }: MakeDeps, job: ClaimedJob, promptTokens: number): Promise<void> {
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
