import type { Effort } from "../../protocol/model.ts";
import { addUsage, type Reason, type RunOutcome, type RunView, type Usage } from "../../protocol/run.ts";
import { PRE_UPGRADE_SOURCE, type Sources } from "../../protocol/context/untrusted.ts";
import type { Chunk } from "../context/assemble.ts";
import type { StateText } from "../memory/agent-state.ts";
import type { Attempt } from "../model/model.ts";
import type { RowOf } from "../store/schema.ts";

/**
 * The total state of a run, as its row holds it: whoever reads it can go on from there. `view` is what people see of it,
 * `stepSeq` the seq after which the running step's transient rows stand.
 */
export const RUN_VERSION = 1;

export type RunState = {
  readonly view: RunView;
  readonly stepSeq: number;
  readonly ownerId: string;
  readonly branchId: string;
  /** Depth of the assistant message being written. */
  readonly depth: number;
  readonly model: string;
  /** The person's words that it answers. */
  readonly question?: string;
  readonly profile?: string;
  /** Of a profile of the person's own: which version its tools were chosen by. */
  readonly profileVersion?: number;
  /** Of a temporary thread: nothing of it is found or remembered. */
  readonly temporary?: true;
  /** How its prompts are chosen; empty: as the profile has it. */
  readonly policy?: string;
  /** Of reasoning; none: medium. */
  readonly effort?: Effort;
  /** The project it belongs to, what in it the talk is about, and how much of it is told; none: of no project. */
  readonly place?: { readonly projectId: string | null; readonly focusId: string | null; readonly mode: string };
  /** Tokens of a prompt that a provider found too long. */
  readonly tooLong?: number;
  /** Tools whose schemas stand in the prompt; fixed for the thread, so that its prefix stays the same. */
  readonly offered?: readonly string[];
  /** Set when the window was too small for all tools of the thread: what they could take, in tokens. */
  readonly toolTokens?: number;
  /** Untrusted sources in the prompt of the newest model call: its answer and its tool calls are judged by these. */
  readonly untrusted?: Sources;
  /** Summaries and agent state as chosen for the first request of the turn: every later request of it has the same. */
  readonly turnContext?: TurnContext;
  /** How often it was continued after a limit. */
  readonly extended?: number;
  /** The number of the next part of that message. */
  readonly nextPart: number;
  readonly used: {
    readonly calls: number;
    readonly tokens: number;
    readonly perTool?: Readonly<Record<string, number>>;
  };
  /** When the time limit began to count: time in which no process lived is not the run's. */
  readonly countedFrom: number;
  /** How often this step was taken up again after a dead process. */
  readonly recoveries: number;
  /** How many processes stopped during this step since the user last chose *Retry*. */
  readonly crashes?: number;
  /** The last text of this step was interrupted, and the next model call continues it. */
  readonly continues?: boolean;
  readonly at: RunPoint;
};

export type TurnContext = {
  readonly policy: string;
  /** The newest summaries, oldest first. */
  readonly chunks: readonly Chunk[];
  /** How many older summaries the path has. */
  readonly olderChunks: number;
  readonly state: StateText | null;
};

export type RunPoint =
  /** This model is to be asked, not before `notBefore`. `tries` are this step's failed attempts. */
  | {
      readonly kind: "ready";
      readonly step: number;
      readonly tries: readonly Try[];
      readonly model: string;
      readonly notBefore: number;
      /** The longest wait from here, whatever the wall clock says. */
      readonly delayMs?: number;
    }
  /** Asked: the intent is committed, the outcome is not. */
  | {
      readonly kind: "calling";
      readonly step: number;
      readonly tries: readonly Try[];
      readonly callId: string;
      readonly model: string;
      readonly promptTokens: number;
      /** Of these, what cannot be shortened: instructions and tools. */
      readonly fixedTokens?: number;
    }
  /** Tools of this step are to be run; each ends with a terminal part. */
  | { readonly kind: "tools"; readonly step: number; readonly calls: readonly PendingCall[] }
  | { readonly kind: "ended" };

export type Try = Attempt;

export type PendingCall = {
  /** The part that holds the call. */
  readonly n: number;
  readonly callId: string;
  readonly name: string;
  /** `asking`: the person is to decide. `started`: the intent is committed, so the effect may have happened. */
  readonly state: "asking" | "waiting" | "started" | "ended";
  /** What *allow in this thread* would allow. */
  readonly grant?: string;
  /** Of the tool as it was when the call was judged, where its name alone does not tell. */
  readonly identity?: string;
  /** The user has read and approved what it stores. */
  readonly approved?: true;
};

export type Ending = { readonly outcome: RunOutcome; readonly reason: Reason | null };

export const toRunState = (row: RowOf<"runs">): RunState => {
  if (row.v > RUN_VERSION) throw new Error(`a run of version ${row.v} was stored by a newer Stonechat`);
  const { tainted, ...state } = JSON.parse(row.body) as RunState & { readonly tainted?: boolean };
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

/** What changes of a run's row as it goes on; a column that is set is written in every index that holds it. */
export const toRunChange = (state: RunState): Partial<RowOf<"runs">> => {
  const { id: _, thread: __, started_at: ___, ended, ended_at, ...change } = toRunRow(state);
  return ended === 1 ? { ...change, ended, ended_at } : change;
};

/** A batch may touch several streams, each with its own numbers: only the thread's own say where a step begins. */
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
