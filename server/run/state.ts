import type { Effort } from "../../protocol/model.ts";
import { addUsage, type Reason, type RunOutcome, type RunView, type Usage } from "../../protocol/run.ts";
import { PRE_UPGRADE_SOURCE, type Sources } from "../../protocol/context/untrusted.ts";
import type { Chunk } from "../context/assemble.ts";
import type { StateText } from "../memory/agent-state.ts";
import type { Attempt } from "../model/model.ts";
import type { PolicyName } from "../../protocol/context/policy.ts";
import type { ContextMode } from "../../protocol/project/project.ts";
import { RUN_VERSION, toStoredRun } from "../store/parse-rows.ts";
import type { RowOf } from "../store/schema.ts";

/**
 * The complete state of a run, as stored in its row. Any node can continue the run from it. `view` is the part that the page
 * shows. The transient rows of the running step come after `stepSeq`.
 */
export type RunState = {
  readonly view: RunView;
  readonly stepSeq: number;
  readonly ownerId: string;
  readonly branchId: string;
  /** Depth of the assistant message being written. */
  readonly depth: number;
  readonly model: string;
  /** The text of the user's message that this run answers. */
  readonly question?: string;
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
  readonly place?: {
    readonly projectId: string | null;
    readonly focusId: string | null;
    readonly mode: ContextMode | "";
  };
  /** Token count of the last prompt that the provider rejected as too long. */
  readonly tooLong?: number;
  /** Tools whose schemas are in the prompt. Kept until the profile, the project or the compaction changes, so that the prompt prefix stays cacheable. */
  readonly offered?: readonly string[];
  /** Token budget for tool schemas; set when the context window was too small for all tools of the thread. */
  readonly toolTokens?: number;
  /** Untrusted sources in the prompt of the newest model call. They apply to its answer and its tool calls. */
  readonly untrusted?: Sources;
  /** Summaries and agent state chosen for the first request of the turn and reused by its later requests. */
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

export type TurnContext = {
  readonly policy: PolicyName;
  /** The newest summaries, oldest first. */
  readonly chunks: readonly Chunk[];
  /** How many older summaries the path has. */
  readonly olderChunks: number;
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
  /** `asking`: waiting for approval. `started`: the intent is committed, so the effect may have happened. */
  readonly state: "asking" | "waiting" | "started" | "ended";
  /** The grant that *Allow in this thread* stores. */
  readonly grant?: string;
  /** Identity of the MCP tool that the call was checked against. Another tool may get the same name later. */
  readonly identity?: string;
  /** The user has approved the text that it stores. */
  readonly approved?: true;
};

export type Ending = { readonly outcome: RunOutcome; readonly reason: Reason | null };

export const toRunState = (row: RowOf<"runs">): RunState => {
  const { tainted, ...state } = toStoredRun<RunState & { readonly tainted?: boolean }>(row);
  return tainted === true ? { untrusted: [PRE_UPGRADE_SOURCE], ...state } : state;
};

export const toRunRow = (state: RunState): Omit<RowOf<"runs">, "stop" | "waiting" | "handed_over"> => ({
  id: state.view.id,
  thread: state.view.threadId,
  message: state.view.messageId,
  v: RUN_VERSION,
  body: JSON.stringify(state),
  ended: state.at.kind === "ended" ? 1 : 0,
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
