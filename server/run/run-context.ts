import type { PolicyName } from "../../protocol/context/policy.ts";
import type { Preferences } from "../../protocol/settings/preferences.ts";
import type { CheckBudget, ReserveBudget } from "../cost/cost.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Observe } from "../lib/observe.ts";
import type { Random } from "../lib/random.ts";
import type { Log, Writer, WriterBatch } from "../log/log.ts";
import type { ModelAccess } from "../model/model-access.ts";
import type { Models } from "../model/model.ts";
import type { Fetch } from "../net/fetch.ts";
import type { StateText } from "../memory/agent-state.ts";
import type { PromptSummary } from "../context/assemble.ts";
import type { Digests } from "../project/digest.ts";
import type { Push } from "../push/push.ts";
import type { Recall } from "../recall/recall.ts";
import type { Reads, Store } from "../store/contract.ts";
import type { Titles } from "../summary/titles.ts";
import { toPreferences } from "../store/parse-rows.ts";
import type { Catalog, GetCatalog } from "../tools/catalog.ts";
import { extend, type Limits } from "./limits.ts";
import { loadProfile, toRunPreferences, withInstructions } from "./own-profiles.ts";
import { openCatalog } from "./open-catalog.ts";
import type { Profile, Profiles } from "./profiles.ts";
import type { LearnedWindows } from "./learned-windows.ts";
import type { Secrets } from "./secrets.ts";
import type { RunState } from "./state.ts";

/** Named places where a crash test may end the process. */
export type Failpoint = "before-intent" | "after-intent" | "after-effect" | "after-result" | "before-terminal";

/** Counters of this process for `/metrics`. */
export type PromptCounts = {
  prompts: number;
  /** Prompts whose prefix differs from the previous prompt without a compaction or a change that explains it. Should stay 0. */
  prefixBreaks: number;
  compactions: number;
};

type PathEnd = { readonly thread: string; readonly branch: string };

/** Dependencies shared by all runs. */
export type RunDeps = {
  readonly store: Store;
  readonly log: Log;
  readonly models: Models;
  readonly catalogOf: GetCatalog;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly profiles: Profiles;
  readonly secrets: Secrets;
  readonly failpoint: (name: Failpoint) => void;
  readonly checkBudget: CheckBudget;
  /** Default: every user may use every model. */
  readonly access?: Pick<ModelAccess, "filterFor">;
  readonly reserveBudget: ReserveBudget;
  readonly recall: Pick<Recall, "search">;
  /** Called when a run has ended, to start background work. It is not awaited. */
  readonly afterTurn: (threadId: string, ended: { readonly branchId: string; readonly policy: PolicyName }) => void;
  /** Rows to commit with the end of a run: the job that writes the thread's title, if one is due. */
  readonly planTitle: Titles["planAfter"];
  /** Rows to commit with a run that has ended or waits for its user: the job that notifies the user, if they want it. */
  readonly planPush: Push["planAfter"];
  /** Summaries on a path, in order. */
  readonly summariesOf: (reads: Reads, place: PathEnd & { readonly upTo: number }) => Promise<readonly PromptSummary[]>;
  /** The work state after the answer at depth `upTo`, as text. */
  readonly stateOf: (
    reads: Reads,
    place: PathEnd & { readonly upTo: number },
    now: number,
  ) => Promise<StateText | null>;
  /** Project digests. */
  readonly digests: Digests;
  readonly learnedWindows: LearnedWindows;
  readonly promptCounts: PromptCounts;
  /** Measures runs, model calls, tool calls and commits. */
  readonly observe: Observe;
  /** Logs an error that no caller can handle. */
  readonly onError: (error: unknown) => void;
  /** Hashes of texts that are known to be stored. */
  readonly storedTexts: Set<string>;
};

/** A claimed run: the dependencies, the writer bound to its lease, and the signal that aborts its work. */
export type RunContext = RunDeps & {
  readonly writer: Writer;
  readonly signal: AbortSignal;
  readonly catalog: Catalog;
  readonly profile: Profile;
  readonly preferences: Preferences;
  readonly limits: Limits;
  /** The newest seq this run has seen committed. */
  lastSeq: number;
};

/** For preparing a model call, which only reads. */
export type PrepareContext = Omit<RunContext, "writer" | "signal" | "lastSeq">;

type LeasedRun = {
  readonly state: RunState;
  readonly epoch: number;
  readonly lastSeq: number;
  readonly controller: AbortController;
};

/** Opens a run under the lease with this epoch. */
export async function openRun(deps: RunDeps, { state, epoch, lastSeq, controller }: LeasedRun): Promise<RunContext> {
  const { threadId } = state.view;
  const { ownerId, temporary, shared } = state;
  const isShared = shared === true;
  const preferences = toRunPreferences(toPreferences(await deps.store.read.preferences(ownerId)), isShared);
  const own = await loadProfile(deps, ownerId, state.profile ?? "stone");
  const profile = withInstructions(own, preferences);
  return {
    ...deps,
    preferences,
    writer: observeCommits(deps.log.open({ threadId, epoch, onLost: (error) => controller.abort(error) }), () =>
      deps.observe({ kind: "commit", runId: state.view.id }),
    ),
    signal: controller.signal,
    catalog: await openCatalog(deps, { ownerId, isTemporary: temporary === true, isShared, preferences }),
    profile,
    limits: extend(profile.limits, state.extended ?? 0),
    lastSeq,
  };
}

/** Why a run is aborted. Only a stop is written to the thread. The others leave the run as its last commit left it. */
export type Abort = "stop" | "shutdown" | Error;

export const isStopped = (signal: AbortSignal): boolean => signal.aborted && signal.reason === "stop";

/** Throws if the run was aborted for any reason other than a stop: its lease may be lost, so nothing more may be written. */
export function throwIfLost(signal: AbortSignal): void {
  if (signal.aborted && signal.reason !== "stop") throw toError(signal.reason as Abort);
}

const toError = (reason: Abort): Error =>
  reason instanceof Error ? reason : new Error(`The run was aborted: ${reason}.`);

/** Measures each commit of a run, from the request until it is durable. */
function observeCommits(writer: Writer, begin: () => ReturnType<Observe>): Writer {
  const measure =
    <T>(commit: (batch: WriterBatch) => Promise<T>) =>
    async (batch: WriterBatch): Promise<T> => {
      const end = begin();
      try {
        const result = await commit(batch);
        end({ outcome: result === null ? "refused" : "ok", isFailure: false });
        return result;
      } catch (error) {
        end({ outcome: error instanceof Error ? error.name : "error", isFailure: true });
        throw error;
      }
    };
  return { ...writer, commit: measure(writer.commit), attempt: measure(writer.attempt) };
}
