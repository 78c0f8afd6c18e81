import { applyEvent, emptyThreadView, type MessageView, type ThreadView } from "../../../protocol/fold.ts";
import { threadStream } from "../../../protocol/ids.ts";
import type { ThreadEvent } from "../../../protocol/events.ts";
import { isTerminal, type Part } from "../../../protocol/parts.ts";
import { addUsage, noUsage, type RunView, type Usage } from "../../../protocol/run.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Watch } from "../../log/types.ts";
import { toStoredRun, toThreadEvent } from "../../store/parse-rows.ts";
import type { Reads } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { loadWindow } from "../../thread/path.ts";
import { readDeltas } from "../../thread/snapshot.ts";
import type { Threads } from "../../thread/threads.ts";
import { notFound } from "./errors.ts";
import { listClientCalls, toSlice } from "./items.ts";

/** The place of an answer, as stored with its request. */
export type AnswerPosition = Pick<RowOf<"api_requests">, "thread" | "message" | "step">;

/** The answer to one request as far as it is stored. */
export type Answer = {
  /** Empty while the message waits for its turn, and if it was withdrawn. */
  readonly messageId: string;
  readonly threadId: string;
  /** In order; with parts of superseded attempts. */
  readonly parts: readonly Part[];
  readonly run: RunView | null;
  readonly isOver: boolean;
};

type Deps = {
  readonly read: Reads;
  readonly watch: Watch;
  readonly threads: Pick<Threads, "get">;
};

const EMPTY = { messageId: "", parts: [], run: null, isOver: false } as const;

type Window = Omit<Reads, "together">;

/** The stored answer; undefined if its message was not delivered yet. Its running step may be missing. */
export async function findAnswer(
  read: Window,
  { thread, message: id }: AnswerPosition,
): Promise<MessageView | undefined> {
  const row = await read.message(thread, id);
  if (!row) return undefined;
  const depth = row.role === "user" ? row.depth + 1 : row.depth;
  const { messages } = await loadWindow(read, { thread, branch: row.branch, upTo: depth, count: 1 });
  const [message] = messages;
  return message?.depth === depth && message.role === "assistant" ? message : undefined;
}

/**
 * Yields the answer whenever it has changed, until it is over. A reader that is slow gets fewer, larger changes; nothing is
 * buffered. The same answer can be followed from any node, at any time, also while the page shows another variant.
 */
export async function* followAnswer(
  deps: Deps,
  principal: Principal,
  place: AnswerPosition,
  signal: AbortSignal,
): AsyncGenerator<Answer> {
  const { read, watch, threads } = deps;
  await threads.get(principal, place.thread);
  let state = await read.together((reads) => openAnswer(reads, place));
  let changed = Promise.withResolvers<void>();
  const onAbort = (): void => changed.resolve();
  signal.addEventListener("abort", onAbort);
  const watcher = watch(threadStream(place.thread), state.view.seq, {
    rows: (rows) => {
      for (const row of rows) state = next(state, place, row.seq, toThreadEvent(row));
      changed.resolve();
      return true;
    },
  });
  try {
    for (;;) {
      changed = Promise.withResolvers<void>();
      if (state.view.deleted) throw notFound();
      const answer = toAnswer(state, place);
      yield answer;
      if (answer.isOver || signal.aborted) return;
      await changed.promise;
    }
  } finally {
    watcher.close();
    signal.removeEventListener("abort", onAbort);
  }
}

/** `view` has only the message of the answer and its run, so that it does not depend on the active path. */
type State = {
  readonly view: ThreadView;
  /** Depth at which the answer will be added; undefined until its message was delivered. */
  readonly depth: number | undefined;
  readonly isWithdrawn: boolean;
};

/** The answer as it is stored now, without deltas of later events. */
export const readAnswer = async (read: Reads, place: AnswerPosition): Promise<Answer> =>
  toAnswer(await read.together((reads) => openAnswer(reads, place)), place);

/** Everything is read at one moment, with the deltas of the running step. */
async function openAnswer(read: Window, place: AnswerPosition): Promise<State> {
  const stream = threadStream(place.thread);
  const { head: seq } = await read.lease(stream);
  const message = await findAnswer(read, place);
  const row = message?.runId ? await read.run(message.runId) : undefined;
  if (!message || !row) {
    const input = await read.input(place.thread, place.message);
    if (!input) throw notFound();
    return { view: { ...emptyThreadView, seq }, depth: undefined, isWithdrawn: input.state === "withdrawn" };
  }
  const { view: run, at, stepSeq } = toStoredRun(row);
  const view: ThreadView = { ...emptyThreadView, messages: [message], run: toOwnRun(run, message.id) };
  const deltas = row.ended === 0 && at.kind === "calling" ? await readDeltas(read, stream, stepSeq) : [];
  const folded = deltas.reduce((all, { seq: at, event }) => applyEvent(all, at, event), view);
  return { view: { ...folded, seq }, depth: message.depth, isWithdrawn: false };
}

function next(state: State, place: AnswerPosition, seq: number, event: ThreadEvent): State {
  const { view, depth } = state;
  const [message] = view.messages;
  switch (event.type) {
    case "input-withdrawn":
      return event.inputId === place.message ? { ...state, isWithdrawn: true } : state;
    case "message-added": {
      const { id, role } = event.message;
      if (message) return state;
      if (id === place.message && role === "user") return { ...state, depth: event.message.depth + 1 };
      // A regenerated answer has the id of its input.
      if (role !== "assistant" || (id !== place.message && event.message.depth !== depth)) return state;
      return { ...state, view: { ...view, messages: [{ ...event.message, parts: [] }] } };
    }
    case "run-started":
    case "run-stepped":
    case "run-ended": {
      const isOwn = message && (event.run.messageId === message.id || event.run.id === view.run?.id);
      return isOwn ? { ...state, view: { ...view, seq, run: toOwnRun(event.run, message.id) } } : state;
    }
    case "text-delta":
    case "tool-input-delta":
    case "part-settled":
    case "thread-deleted":
      return { ...state, view: applyEvent(view, seq, event) };
    default:
      return state;
  }
}

/** A message that was sent on the page at once ended the answer: its run continues in another message. */
const toOwnRun = (run: RunView, messageId: string): RunView =>
  run.messageId === messageId ? run : { ...run, messageId, state: "ended", outcome: "stopped" };

function toAnswer({ view, isWithdrawn }: State, place: AnswerPosition): Answer {
  const [message] = view.messages;
  if (!message) return { ...EMPTY, threadId: place.thread, isOver: isWithdrawn };
  const parts = toSlice(message.parts, place.step);
  return { messageId: message.id, threadId: place.thread, parts, run: view.run, isOver: isOver(parts, view.run) };
}

/** Over when the run has ended, or when only the caller's tools are left to run. */
function isOver(parts: readonly Part[], run: RunView | null): boolean {
  if (listClientCalls(parts).some(({ state }) => isTerminal(state))) return true;
  if (run === null) return false;
  if (run.state === "ended" || run.state === "parked") return true;
  const asking = parts.filter((part) => part.kind === "tool" && part.state === "asking");
  return run.state === "waiting" && asking.length > 0 && asking.every((part) => part.kind === "tool" && part.client);
}

/** Usage of the model calls of these steps. */
export async function readUsage(read: Reads, thread: string, { parts, run }: Answer): Promise<Usage> {
  if (run === null) return noUsage;
  const steps = new Set(parts.map(({ step }) => step));
  const calls = await read.calls(thread, run.id);
  return calls
    .filter(({ purpose, step }) => purpose === "answer" && steps.has(step))
    .reduce((sum, { usage }) => addUsage(sum, JSON.parse(usage) as Usage), noUsage);
}
