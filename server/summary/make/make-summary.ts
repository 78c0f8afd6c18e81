import type { SummaryFields } from "../../../protocol/context/summary.ts";
import type { ModelRequest } from "../../../protocol/model.ts";
import type { ClaimedJob } from "../../jobs/jobs.ts";
import { checkFields } from "../check.ts";
import { countRequest, toRequest } from "./ask-model.ts";
import { boundFields } from "./merge-fields.ts";
import { parseFields } from "./parse-fields.ts";
import { callRecorded, closeLost, type RecordDeps } from "./record-call.ts";
import type { Material } from "./source.ts";

export type MakeDeps = RecordDeps & {
  /** A model's window in our tokens, from what it claims and what its server reported. */
  readonly findWindow: (model: string, claimed: number | null) => Promise<number>;
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
    const request = fitRequest(material, await deps.findWindow(id, model.info.windowTokens));
    if (!request) {
      asked.push({ model: id, costUsd: 0, why: TOO_SMALL, retryable: false });
      continue;
    }
    const reply = await callRecorded(deps, job, {
      ...{ purpose: "summary", model, request, attempt: before.length + asked.length + 1, signal },
    });
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
