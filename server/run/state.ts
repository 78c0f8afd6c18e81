import type { Effort } from "../../protocol/model.ts";
import type { Answers } from "../../protocol/question.ts";
import { addUsage, type Reason, type RunOutcome, type RunView, type Usage } from "../../protocol/run.ts";
import { PRE_UPGRADE_SOURCE, type Sources } from "../../protocol/context/untrusted.ts";
import type { PromptSummary } from "../context/assemble.ts";
import type { StateText } from "../memory/agent-state.ts";
import type { Attempt } from "../model/model.ts";
import type { PolicyName } from "../../protocol/context/policy.ts";
import type { ContextMode } from "../../protocol/project/project.ts";
import type { CallerRequest } from "../thread/rows.ts";
import { RUN_VERSION, toStoredRun } from "../store/parse-rows.ts";
import type { RowOf } from "../store/schema.ts";

/**
 * The complete state of a run, as stored in its row. Any node can continue the run from it. `view` is the part that the page
 * shows. The transient rows of the running step come after `stepSeq`.
 */
export type RunState = {
  readonly view: RunView;
  readonly stepSeq: number;
  /** The user who asked: the run has this user's rights and costs. In a private thread its owner. */
  readonly ownerId: string;
  /** The thread was shared when the run began: nothing that is private to a user may be in its prompts. */
  readonly shared?: true;
  readonly branchId: string;
  /** Depth of the assistant message being written. */
  readonly depth: number;
  readonly model: string;
  /** The text of the user's message that this run answers. */
  readonly question?: string;
  /** A program wrote that message, so it is not the user's own words. */
  readonly isQuestionUntrusted?: boolean;
  readonly profile?: string;
  /** Version of the user's own profile that the tools were chosen with. */
  readonly profileVersion?: number;
  /** The thread is temporary: it is not indexed for search and stores no memory. */
  readonly temporary?: true;
  /** Context policy; empty: the profile's default. */
  readonly policy?: PolicyName | "";
  /** Reasoning effort; medium if absent. */
  readonly effort?: Effort;
  /** The thread's project, the focused entity and the digest mode; absent if the thread has none of these. */
  readonly scope?: {
    readonly projectId: string | null;
    readonly focusId: string | null;
    readonly mode: ContextMode | "";
  };
  /** Set if a program sent the message by another API. */
  readonly caller?: CallerRequest;
  /** Token count of the last prompt that the provider rejected as too long. */
  readonly tooLong?: number;
  /** Tools whose schemas are in the prompt. Kept until the profile, the project or the compaction changes, so that the prompt prefix stays cacheable. */
  readonly offered?: readonly string[];
  /** Token budget for tool schemas; set when the context window was too small for all tools of the thread. */
  readonly toolTokens?: number;
  /** Untrusted sources in the prompt of the newest model call. They apply to its answer and its tool calls. */
  readonly untrusted?: Sources;
  /** Summaries and work state chosen for the first request of the turn and reused by its later requests. */
  readonly turnContext?: TurnContext;
  /** How often the user continued it after a limit. */
  readonly extended?: number;
  /** The number of the next part of the assistant message. */
  readonly nextPart: number;
  readonly used: {
    readonly calls: number;
    readonly tokens: number;
    readonly perTool?: Readonly<Record<string, number>>;
  };
  /** Start of the time limit. Reset on recovery and after a wait for the user, so that neither counts. */
  readonly countedFrom: number;
  /** How often this step was recovered from another process. */
  readonly recoveries: number;
  /** How many processes stopped during this step since the user last chose *Retry*. */
  readonly crashes?: number;
  /** The last text of this step was interrupted, and the next model call continues it. */
  readonly continues?: boolean;
  readonly at: RunPoint;
};

/** The thread as `threadListStream` and the search index need it. */
export const toPlace = ({ view, ownerId, shared, scope, temporary }: RunState) => ({
  ...{ id: view.threadId, owner: ownerId, temporary },
  ...{ shared: shared ? 1 : 0, project: scope?.projectId ?? null },
});

export type TurnContext = {
  readonly policy: PolicyName;
  /** The newest summaries, oldest first. */
  readonly summaries: readonly PromptSummary[];
  /** How many older summaries the path has. */
  readonly olderSummaries: number;
  readonly state: StateText | null;
};

export type RunPoint =
  /** The next model call may start at `notBefore`. `tries` are this step's failed attempts. */
  | {
      readonly kind: "ready";
      readonly step: number;
      readonly tries: readonly Try[];
      readonly model: string;
      readonly notBefore: number;
      /** Upper bound for the wait, in case the wall clock changes. */
      readonly delayMs?: number;
    }
  /** The intent of the model call is committed, its outcome is not. */
  | {
      readonly kind: "calling";
      readonly step: number;
      readonly tries: readonly Try[];
      readonly callId: string;
      readonly model: string;
      readonly promptTokens: number;
      /** Tokens of the prompt that cannot be shortened: instructions and tools. */
      readonly fixedTokens?: number;
    }
  /** The tool calls of this step. Each ends with a terminal part. */
  | { readonly kind: "tools"; readonly step: number; readonly calls: readonly PendingCall[] }
  | { readonly kind: "ended" };

export type Try = Attempt;

export type PendingCall = {
  /** The part that holds the call. */
  readonly n: number;
  readonly callId: string;
  readonly name: string;
  /**
   * `asking`: waiting for approval. `ready`: to be run next. `started`: the intent is committed, so the effect may have
   * happened.
   */
  readonly state: "asking" | "ready" | "started" | "ended";
  /** The grant that *Allow in this thread* stores. */
  readonly grant?: string;
  /** Identity of the MCP tool that the call was checked against. Another tool may get the same name later. */
  readonly identity?: string;
  /** The user has approved the text that it stores. */
  readonly approved?: true;
  /** The program that sent the message runs this call. */
  readonly client?: true;
  /** The call asked the user while it ran. It continues with the answers; null: the user skipped the question. */
  readonly question?: { readonly round: number; readonly resume: unknown; readonly answers?: Answers | null };
};

export type Ending = { readonly outcome: RunOutcome; readonly reason: Reason | null };

/** The view of a run that waits for nothing. */
export const withoutWait = ({ waitingFor: _, waitingSentences: __, retryAt: ___, ...view }: RunView): RunView => view;

/** Names in the stored JSON that differ from those in the code. */
type StoredState = Omit<RunState, "scope" | "turnContext" | "at"> & {
  readonly place?: RunState["scope"];
  readonly turnContext?: Omit<TurnContext, "summaries" | "olderSummaries"> & {
    readonly chunks: TurnContext["summaries"];
    readonly olderChunks: number;
  };
  readonly at:
    | Exclude<RunPoint, { readonly kind: "tools" }>
    | { readonly kind: "tools"; readonly step: number; readonly calls: readonly StoredCall[] };
  /** Stored before 0.2 instead of `untrusted`. */
  readonly tainted?: boolean;
};
type StoredCall = Omit<PendingCall, "state"> & {
  readonly state: Exclude<PendingCall["state"], "ready"> | "waiting";
};

export function toRunState(row: RowOf<"runs">): RunState {
  const { tainted, place, turnContext, at, ...state } = toStoredRun<StoredState>(row);
  return {
    ...(tainted === true ? { untrusted: [PRE_UPGRADE_SOURCE] } : {}),
    ...state,
    ...(place ? { scope: place } : {}),
    ...(turnContext ? { turnContext: toTurnContext(turnContext) } : {}),
    at: at.kind === "tools" ? { ...at, calls: at.calls.map(toPendingCall) } : at,
  };
}

function toTurnContext({ chunks, olderChunks, ...context }: NonNullable<StoredState["turnContext"]>): TurnContext {
  return { ...context, summaries: chunks, olderSummaries: olderChunks };
}

const toPendingCall = ({ state, ...call }: StoredCall): PendingCall => ({
  ...call,
  state: state === "waiting" ? "ready" : state,
});

function toStoredState({ scope, turnContext, at, ...state }: RunState): StoredState {
  return {
    ...state,
    ...(scope ? { place: scope } : {}),
    ...(turnContext ? { turnContext: toStoredContext(turnContext) } : {}),
    at: at.kind === "tools" ? { ...at, calls: at.calls.map(toStoredCall) } : at,
  };
}

function toStoredContext({
  summaries,
  olderSummaries,
  ...context
}: TurnContext): NonNullable<StoredState["turnContext"]> {
  return { ...context, chunks: summaries, olderChunks: olderSummaries };
}

const toStoredCall = ({ state, ...call }: PendingCall): StoredCall => ({
  ...call,
  state: state === "ready" ? "waiting" : state,
});

export const toRunRow = (state: RunState): Omit<RowOf<"runs">, "stop" | "waiting" | "handed_over"> => ({
  id: state.view.id,
  thread: state.view.threadId,
  message: state.view.messageId,
  v: RUN_VERSION,
  body: JSON.stringify(toStoredState(state)),
  ended: state.at.kind === "ended" ? 1 : 0,
  asker: state.shared ? state.ownerId : null,
  started_at: state.view.startedAt,
  ended_at: state.view.endedAt,
});

/** The columns that change during a run. Unchanged columns are left out because setting a column also updates its indexes. */
export const toRunChange = (state: RunState): Partial<RowOf<"runs">> => {
  const { id: _, thread: __, started_at: ___, ended, ended_at, ...change } = toRunRow(state);
  return ended === 1 ? { ...change, ended, ended_at } : change;
};

/** The last seq that a batch was given on this stream. A batch may write to several streams, each with separate seqs. */
export const lastSeqOn = (
  stream: string,
  events: readonly { readonly stream: string }[],
  seqs: readonly number[],
): number => seqs[events.findLastIndex((event) => event.stream === stream)] ?? 0;

export function addCost(state: RunState, usage: Usage, costUsd: number | null): RunState {
  const { view } = state;
  const total = addUsage(view.usage, usage);
  const cost = view.costUsd === null || costUsd === null ? null : view.costUsd + costUsd;
  const tokens = state.used.tokens + usage.inputTokens + usage.outputTokens;
  return { ...state, view: { ...view, usage: total, costUsd: cost }, used: { ...state.used, tokens } };
}
