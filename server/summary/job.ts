import type { SummaryFields } from "../../protocol/context/summary.ts";
import { writeSources } from "../../protocol/context/untrusted.ts";
import { EMPTY_OUTCOME, type ClaimedJob, type JobKind, type JobOutcome } from "../jobs/jobs.ts";
import { countTokens } from "../lib/tokens.ts";
import type { Models } from "../model/model.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { loadWindow } from "../thread/path.ts";
import { chooseModels } from "./make/choose-models.ts";
import { extractOnly, makeSummary, type MakeDeps, type SummaryResult } from "./make/make-summary.ts";
import { fromChildren, fromMessages, type Material } from "./make/source.ts";
import { SUMMARY, toChanged, type SummaryJob } from "./plan-rows.ts";
import { renderSummary } from "./render-summary.ts";
import { parseFields } from "./views.ts";

type JobDeps = Omit<MakeDeps, "read"> & {
  readonly read: Reads;
  readonly models: Pick<Models, "find" | "isLocal" | "list" | "forUser">;
  /** The operator's list. Undefined: models of the thread's provider. */
  readonly wanted: readonly string[] | undefined;
  readonly onMade: (status: "completed" | "partial" | "failed") => void;
  readonly after: (threadId: string) => Promise<void>;
};

const MOST_ATTEMPTS = 3;

/** Makes one summary. It always finishes: with a model's text, or with sentences of the thread if models fail. */
export function createSummaryKind(deps: JobDeps): JobKind {
  const { read } = deps;

  const run = async (job: ClaimedJob, signal: AbortSignal): Promise<JobOutcome> => {
    const { children = [], ...loaded } = (await load(deps, job)) ?? { row: null };
    if (!loaded.row) return EMPTY_OUTCOME;
    const { row, material } = loaded;
    const thread = await read.thread(row.thread);
    if (!thread) return EMPTY_OUTCOME;
    // Summaries of a shared thread are for all of its members, so they are not made with the key of one of them.
    const models = thread.shared === 1 ? deps.models : deps.models.forUser(thread.owner);
    const chain = chooseModels(models, thread, deps.wanted);
    const made = await makeSummary({ ...deps, models }, job, { material, chain, signal });
    // No one is waiting, and lines cover its range until then, so the provider gets time to recover.
    if (made.canRetry && row.cause === "auto" && job.attempts < MOST_ATTEMPTS) throw new Error(made.problem?.message);
    return settle({ row, children, material, made });
  };

  const giveUp = async (job: ClaimedJob, error: Error): Promise<JobOutcome> => {
    const { summaryId } = job.body as SummaryJob;
    const loaded = await load(deps, job).catch(() => undefined);
    const calls = await read.callsOfJob(job.threadId ?? "", job.id);
    const problem = {
      message: error.message,
      fallbackAttempts: calls.length,
      lastAttemptModel: calls.at(-1)?.model ?? "",
    };
    if (loaded) {
      const costs = calls.map((call) => call.cost_usd);
      const costUsd = costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
      const made = { fields: extractOnly(loaded.material), model: null, costUsd, problem, canRetry: false };
      return settle({ ...loaded, made });
    }
    deps.onMade("failed");
    const set = { status: "failed" as const, error: JSON.stringify(problem), updated_at: deps.clock.now() };
    const where = { id: summaryId, status: "generating" as const };
    return {
      events: job.threadId === null ? [] : [toChanged(job.threadId)],
      writes: [{ do: "update", table: "summaries", set, where }],
    };
  };

  const settle = ({ row, children, material, made }: JobInputs & { readonly made: SummaryResult }): JobOutcome => {
    const { fields, model, costUsd, problem } = made;
    const status = model === null ? "partial" : "completed";
    deps.onMade(status);
    const isUntrusted = material.untrusted.length > 0;
    const set = {
      status,
      fields: JSON.stringify(fields),
      tokens: countChunk(fields, isUntrusted),
      cost_usd: costUsd,
      model,
      tainted: isUntrusted ? 1 : 0,
      untrusted: writeSources(material.untrusted),
      error: problem && JSON.stringify(problem),
      updated_at: Math.max(deps.clock.now(), row.updated_at + 1),
    } as const;
    const merged = children.map((child): Write => ({
      do: "update",
      table: "summaries",
      set: { merged_into: row.id },
      // Fails if the child was edited in the meantime. The job is then retried with the edited text.
      where: { id: child.id, updated_at: child.updated_at },
      expectOne: true,
    }));
    const where = { id: row.id, status: "generating" as const };
    return {
      events: [toChanged(row.thread)],
      writes: [{ do: "update", table: "summaries", set, where, expectOne: true }, ...merged],
    };
  };

  return {
    kind: SUMMARY,
    leaseMs: 30_000,
    maxAttempts: MOST_ATTEMPTS,
    run,
    giveUp,
    after: async ({ threadId }) => {
      if (threadId !== null) await deps.after(threadId);
    },
  };
}

export const countChunk = (fields: SummaryFields, isUntrusted: boolean): number =>
  countTokens(renderSummary({ fields, isUntrusted }));

type JobInputs = {
  readonly row: RowOf<"summaries">;
  readonly children: readonly RowOf<"summaries">[];
  readonly material: Material;
};

/** Undefined if the summary is already done, or its source is gone. */
async function load({ read }: JobDeps, job: ClaimedJob): Promise<JobInputs | undefined> {
  const { summaryId, children: ids } = job.body as SummaryJob;
  const row = await read.summary(summaryId);
  if (row?.status !== "generating") return undefined;
  if (!ids) {
    const { thread, branch, to_depth: upTo, from_depth: from } = row;
    const { messages } = await loadWindow(read, { thread, branch, upTo, count: upTo - from + 1 });
    return messages.length === 0
      ? undefined
      : { row, children: [], material: fromMessages(messages, row.source_tokens) };
  }
  const rows = await read.summariesById(ids);
  const children = rows
    .map((child) => ({ row: child, fields: parseFields(child) }))
    .filter((child): child is { row: RowOf<"summaries">; fields: SummaryFields } => child.fields !== null)
    .toSorted((a, b) => a.row.from_depth - b.row.from_depth);
  if (children.length < ids.length) return undefined;
  return { row, children: children.map((child) => child.row), material: fromChildren(children) };
}
