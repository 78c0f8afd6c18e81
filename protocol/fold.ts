import type { EventOf, MessageHead, QueuedInput, ThreadEvent, ThreadSummary } from "./events.ts";
import type { Part, PartOf } from "./parts.ts";
import type { EarlyEnd, RunView } from "./run.ts";

export type MessageView = MessageHead & {
  readonly parts: readonly Part[];
  /** Set if the answer was stopped, failed or reached a limit. */
  readonly endedEarly?: EarlyEnd | undefined;
};

export type ThreadView = {
  readonly seq: number;
  readonly thread: ThreadSummary | null;
  /** The loaded tail of the active path, by depth. */
  readonly messages: readonly MessageView[];
  readonly queue: readonly QueuedInput[];
  readonly run: RunView | null;
  /** The active branch changed to one whose messages are not loaded: refetch the tail. */
  readonly stale: boolean;
  readonly deleted: boolean;
};

export const emptyThreadView: ThreadView = {
  seq: 0,
  thread: null,
  messages: [],
  queue: [],
  run: null,
  stale: false,
  deleted: false,
};

/**
 * The thread reducer, shared by the server's snapshot and the page. Takes a view and the next event of its stream and
 * returns the next view, which shares all unchanged objects. Events at or below the view's seq are ignored. Gaps in seq
 * are allowed, because deltas are deleted when their part settles.
 */
export function applyEvent(view: ThreadView, seq: number, event: ThreadEvent): ThreadView {
  if (seq <= view.seq) return view;
  // Types that do not change the view, also those of a newer server, only advance the seq.
  const apply = Object.hasOwn(handlers, event.type) ? (handlers[event.type as FoldedType] as Handler) : undefined;
  return { ...(apply ? apply(view, event) : view), seq };
}

type Handler = (view: ThreadView, event: ThreadEvent) => ThreadView;
type FoldedType = Exclude<ThreadEvent["type"], "context-changed">;
type Handlers = { readonly [T in FoldedType]: (view: ThreadView, event: EventOf<T>) => ThreadView };

const handlers: Handlers = {
  "thread-created": (view, { thread }) => ({ ...view, thread }),
  "thread-changed": (view, { patch }) => (view.thread ? { ...view, thread: merge(view.thread, patch) } : view),
  "thread-deleted": (view) => ({ ...emptyThreadView, deleted: true, seq: view.seq }),
  "input-queued": (view, { input }) => ({ ...view, queue: [...without(view.queue, input.id), input] }),
  "input-withdrawn": (view, { inputId }) => ({ ...view, queue: without(view.queue, inputId) }),
  "branch-activated": (view, { forkDepth, reload }) => ({
    ...view,
    messages: view.messages.filter((message) => message.depth <= forkDepth),
    stale: view.stale || reload,
  }),
  "message-added": (view, { message }) => ({
    ...view,
    messages: addMessage(view.messages, message),
    queue: without(view.queue, message.id),
  }),
  "text-delta": (view, event) => changePart(view, event.messageId, event.partId, (part) => appendText(part, event)),
  "tool-input-delta": (view, event) =>
    changePart(view, event.messageId, event.partId, (part) => appendInput(part, event)),
  "part-settled": (view, { messageId, part }) => changePart(view, messageId, part.id, () => part),
  "run-started": setRun,
  "run-stepped": setRun,
  "run-ended": setRun,
};

function merge<T extends object>(whole: T, patch: { [K in keyof T]?: T[K] | undefined }): T {
  const next = { ...whole };
  for (const key of Object.keys(patch) as (keyof T)[]) {
    const value = patch[key];
    if (value !== undefined) next[key] = value as T[keyof T];
  }
  return next;
}

const without = (queue: readonly QueuedInput[], id: string): readonly QueuedInput[] =>
  queue.some((input) => input.id === id) ? queue.filter((input) => input.id !== id) : queue;

/** A message replaces everything at its depth or deeper, which belongs to a path that is no longer active. */
function addMessage(messages: readonly MessageView[], message: MessageHead): readonly MessageView[] {
  const known = messages.find((other) => other.id === message.id);
  const kept = messages.filter((other) => other.depth < message.depth && other.id !== message.id);
  return [...kept, { parts: [], ...known, ...message }];
}

/** A message keeps its early end when later runs follow, unless a run continues that message. */
function setRun(view: ThreadView, { run }: { readonly run: RunView }): ThreadView {
  const index = view.messages.findLastIndex((message) => message.id === run.messageId);
  const message = view.messages[index];
  const endedEarly = toEarlyEnd(run);
  if (!message || (!endedEarly && !message.endedEarly)) return { ...view, run };
  const { endedEarly: _, ...rest } = message;
  return { ...view, run, messages: view.messages.with(index, endedEarly ? { ...rest, endedEarly } : rest) };
}

/** The answer to a user message on the same path. Messages that steered an answer together share it. */
export function findAnswer(messages: readonly MessageView[], questionId: string): MessageView | undefined {
  const at = messages.findIndex(({ id }) => id === questionId);
  return at === -1 ? undefined : messages.slice(at + 1).find(({ role }) => role === "assistant");
}

/** The answer is not over and needs no decision about itself: it is being written, or a tool call waits for approval. */
export const isActive = (run: Pick<RunView, "state"> | null | undefined): boolean =>
  run?.state === "running" || run?.state === "waiting";

export const toEarlyEnd = ({ outcome, reason }: Pick<RunView, "outcome" | "reason">): EarlyEnd | undefined =>
  outcome === null || outcome === "done" ? undefined : { outcome, reason };

/** One line, for places without a *Continue* button. */
export function describeEnd({ outcome, reason }: EarlyEnd): string {
  if (outcome === "failed") return reason ? `Failed: ${reason.text}` : "Failed.";
  if (outcome === "stopped") return "Stopped.";
  return reason?.text.split(" Choose Continue ")[0] ?? "Ended at a limit.";
}

function changePart(
  view: ThreadView,
  messageId: string,
  partId: string,
  change: (part: Part | undefined) => Part | undefined,
): ThreadView {
  const index = view.messages.findLastIndex((message) => message.id === messageId);
  const message = view.messages[index];
  if (!message) return view;
  const before = message.parts.find((part) => part.id === partId);
  const after = change(before);
  if (!after || after === before) return view;
  const parts = before
    ? message.parts.map((part) => (part.id === partId ? after : part))
    : [...message.parts, after].sort((a, b) => a.n - b.n);
  return { ...view, messages: view.messages.with(index, { ...message, parts }) };
}

function appendText(part: Part | undefined, event: EventOf<"text-delta">): Part | undefined {
  if (!part) {
    const { partId, n, step, kind, text, joined } = event;
    const placed = { id: partId, v: 1, n, step, state: "streaming", text } as const;
    return kind === "text" && joined ? { ...placed, kind, joined } : { ...placed, kind };
  }
  if (part.kind !== event.kind || part.state !== "streaming") return part;
  return { ...part, text: part.text + event.text };
}

function appendInput(part: Part | undefined, event: EventOf<"tool-input-delta">): Part | undefined {
  if (!part) {
    const { partId, n, step, callId, name, text } = event;
    return { id: partId, v: 1, n, step, kind: "tool", callId, name, state: "input-streaming", inputText: text };
  }
  if (part.kind !== "tool" || part.state !== "input-streaming") return part;
  return { ...part, inputText: inputTextOf(part) + event.text };
}

const inputTextOf = (part: PartOf<"tool">): string => part.inputText ?? "";

/** The text of a message, without reasoning, tool calls and superseded attempts. */
export const textOf = (parts: readonly Part[]): string =>
  parts
    .filter((part): part is PartOf<"text"> => part.kind === "text" && part.aside === undefined)
    .map((part, index) => (index === 0 || part.joined ? part.text : `\n\n${part.text}`))
    .join("");

/** Joins a text that was interrupted and continued into one part, at the position of its first piece. For display and prompts. */
export function joinTexts(parts: readonly Part[]): readonly Part[] {
  if (!parts.some((part) => part.kind === "text" && part.joined && part.aside === undefined)) return parts;
  const read: Part[] = [];
  for (const part of parts) {
    const at = read.findLastIndex((one) => one.kind === "text" && one.aside === undefined);
    const before = read[at];
    if (part.kind !== "text" || !part.joined || part.aside !== undefined || before?.kind !== "text") read.push(part);
    else read[at] = { ...before, state: part.state, text: before.text + part.text };
  }
  return read;
}
