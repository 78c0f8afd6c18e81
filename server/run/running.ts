import type { CheckBudget, ReserveBudget } from "../cost/cost.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Random } from "../lib/random.ts";
import type { Log, Writer } from "../log/log.ts";
import type { Models } from "../model/model.ts";
import type { Fetch } from "../net/fetch.ts";
import type { StateText } from "../memory/agent-state.ts";
import type { Chunk } from "../context/assemble.ts";
import type { Digests } from "../project/digest.ts";
import type { Recall } from "../recall/recall.ts";
import type { Reads, Store } from "../store/contract.ts";
import type { Catalog, GetCatalog } from "../tools/catalog.ts";
import { extend, type Limits } from "./limits.ts";
import { loadProfile } from "./own-profiles.ts";
import { openCatalog } from "./open-catalog.ts";
import type { Profile, Profiles } from "./profiles.ts";
import type { LearnedWindows } from "./learned-windows.ts";
import type { Secrets } from "./secrets.ts";
import type { RunState } from "./state.ts";

/** Named places where a crash test may end the process. */
export type Failpoint = "before-intent" | "after-intent" | "after-effect" | "after-result" | "before-terminal";

/** Of this process, for its operator. */
export type PromptCounts = {
  prompts: number;
  /** Prompts that did not begin as the one before although nothing was compacted or changed: there is no reason for one. */
  prefixBreaks: number;
  epochs: number;
};

type Place = { readonly thread: string; readonly branch: string };

/** What runs are made with. */
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
  readonly reserveBudget: ReserveBudget;
  readonly recall: Pick<Recall, "search">;
  /** A run has ended: what goes on in the background may begin. Nobody waits for it. */
  readonly afterTurn: (threadId: string, branchId: string) => void;
  /** Summaries on a path, in order. */
  readonly chunksOf: (reads: Reads, place: Place & { readonly upTo: number }) => Promise<readonly Chunk[]>;
  /** The agent state after the answer at depth `upTo`, as text. */
  readonly stateOf: (reads: Reads, place: Place & { readonly upTo: number }, now: number) => Promise<StateText | null>;
  /** What is known of the work that a thread belongs to. */
  readonly digests: Digests;
  readonly learnedWindows: LearnedWindows;
  readonly promptCounts: PromptCounts;
  /** Hashes of texts that are known to be stored. */
  readonly storedTexts: Set<string>;
};

/** A run in hand: the deps, the lease's pen, and the signal that ends whatever is being done. */
export type Running = RunDeps & {
  readonly writer: Writer;
  readonly signal: AbortSignal;
  readonly catalog: Catalog;
  readonly profile: Profile;
  readonly limits: Limits;
  /** The newest seq this run has seen committed. */
  lastSeq: number;
};

/** What preparing a call needs: nothing of it is written. */
export type Preparing = Omit<Running, "writer" | "signal" | "lastSeq">;

type Held = {
  readonly state: RunState;
  readonly epoch: number;
  readonly lastSeq: number;
  readonly controller: AbortController;
};

/** Takes a run in hand under a lease of this epoch. */
export async function openRun(deps: RunDeps, { state, epoch, lastSeq, controller }: Held): Promise<Running> {
  const { threadId } = state.view;
  const profile = await loadProfile(deps, state.ownerId, state.profile ?? "stone");
  return {
    ...deps,
    writer: deps.log.open({ threadId, epoch, onLost: (error) => controller.abort(error) }),
    signal: controller.signal,
    catalog: await openCatalog(deps, state.ownerId, state.temporary === true),
    profile,
    limits: extend(profile.limits, state.extended ?? 0),
    lastSeq,
  };
}

/** Why work is broken off. Only a stop is settled in the thread; the others leave the run where its last commit left it. */
export type Abort = "stop" | "shutdown" | Error;

export const isStopped = (signal: AbortSignal): boolean => signal.aborted && signal.reason === "stop";

/** Work that nobody may write about any more. */
export function throwIfLost(signal: AbortSignal): void {
  if (signal.aborted && signal.reason !== "stop") throw toError(signal.reason as Abort);
}

const toError = (reason: Abort): Error => (reason instanceof Error ? reason : new Error(`broken off: ${reason}`));
