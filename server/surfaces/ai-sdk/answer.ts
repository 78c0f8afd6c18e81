import type { EventOf } from "../../../protocol/events.ts";
import type { MessageView } from "../../../protocol/fold.ts";
import type { Part, PartOf } from "../../../protocol/parts.ts";
import type { RunView } from "../../../protocol/run.ts";
import {
  toMetadata,
  toSourceChunk,
  toToolChunks,
  toToolHead,
  toWholeChunk,
  type Chunk,
  type TextKind,
  type ToolStage,
} from "./chunks.ts";

/**
 * Turns the parts and events of one answer into chunks. The cost of a delta does not depend on the length of the answer.
 *
 * However the events arrive, live or stored, cut anywhere and replayed, the client ends up with the same message: parts in the
 * order of `n`, without superseded ones, sources last. Parts that were streamed in another order, or superseded, are removed
 * with `reset-step` and sent again when their step settles.
 */
type AnswerChunks = {
  /** Starts with the parts that are stored so far. */
  readonly open: (message: AnswerHead, parts: readonly Part[]) => void;
  readonly part: (part: Part) => void;
  /** Returns the text that the delta was appended to, so that the next one can be appended without parsing it. */
  readonly textDelta: (event: EventOf<"text-delta">) => OpenText | null;
  readonly inputDelta: (event: EventOf<"tool-input-delta">) => void;
  readonly run: (run: RunView) => void;
  /** Ends the message although its run continues in another one. */
  readonly leave: () => void;
  readonly isDone: () => boolean;
  /** The client's message cannot be corrected on this stream: cut it, so that the client resumes with a replay. */
  readonly isBroken: () => boolean;
};

type AnswerHead = Pick<MessageView, "id" | "runId" | "createdAt"> & { readonly threadId: string };

/** `sent`: length of the text that was sent, as JSON. `isJoined`: it continues a text of an earlier step. */
export type OpenText = { readonly id: string; readonly kind: TextKind; readonly isJoined: boolean; sent: number };

/** The step that is being sent. */
type Step = {
  lastN: number;
  isDisordered: boolean;
  readonly parts: Map<number, Part>;
  readonly texts: Map<string, OpenText>;
  readonly tools: Map<string, ToolStage>;
};

const newStep = (): Step => ({
  lastN: -1,
  isDisordered: false,
  parts: new Map(),
  texts: new Map(),
  tools: new Map(),
});

type TextPart = PartOf<TextKind>;
type NewText = Pick<TextPart, "id" | "n" | "kind"> & { readonly joined?: true | undefined };

/** `clientSteps`: the client has this many steps of the message. Its last one is replaced, and later ones are added. */
export function createAnswerChunks(emit: (chunk: Chunk) => void, clientSteps: number | null = null): AnswerChunks {
  let step = newStep();
  let steps = 0;
  let isMuted = false;
  let [isDone, isBroken] = [false, false];
  let open: OpenText | null = null;
  /** A text that was interrupted. Text of a later step may continue it. */
  let cut: OpenText | null = null;
  const sources = new Map<number, PartOf<"source">>();

  const send = (chunk: Chunk): void => {
    if (!isMuted) emit(chunk);
  };
  const end = (text: OpenText | null): null => {
    if (text) send({ type: `${text.kind}-end`, id: text.id });
    return null;
  };
  /** False if another part with a higher number was already sent in this step. */
  const place = (n: number): boolean => {
    if (n < step.lastN) step.isDisordered = true;
    else step.lastN = n;
    return !step.isDisordered;
  };

  const startStep = (): void => {
    flush();
    open = end(open);
    if (steps > 0) send({ type: "finish-step" });
    step = newStep();
    steps += 1;
    if (clientSteps !== null && steps <= clientSteps) isMuted = steps < clientSteps;
    if (steps !== clientSteps) return send({ type: "start-step" });
    cut = null;
    return send({ type: "reset-step" });
  };

  const startText = ({ id, n, kind, joined }: NewText): OpenText | null => {
    if (!place(n)) return null;
    open = end(open);
    const continued = kind === "text" && joined ? cut : null;
    if (kind === "text" && !continued) cut = end(cut);
    if (continued) cut = null;
    open = { id: continued?.id ?? id, kind, isJoined: continued !== null, sent: 0 };
    step.texts.set(id, open);
    if (!continued) send({ type: `${kind}-start`, id });
    return open;
  };
  const append = (to: OpenText, delta: string): void => {
    if (delta === "") return;
    to.sent += toEncoded(delta).length;
    send({ type: `${to.kind}-delta`, id: to.id, delta });
  };

  const showText = (part: TextPart): void => {
    const known = step.texts.get(part.id);
    const text = known ?? startText(part);
    if (!text) return;
    const whole = toEncoded(part.text);
    const isOther = known?.kind !== undefined && known.kind !== part.kind;
    if (isOther || whole.length < text.sent || (whole.length > text.sent && text !== open)) {
      step.isDisordered = true;
      return;
    }
    if (whole.length > text.sent) append(text, JSON.parse(`"${whole.slice(text.sent)}"`) as string);
    if (part.state === "streaming" || text !== open) return;
    if (part.kind === "text" && part.state === "cut") cut = text;
    else end(text);
    open = null;
  };

  const showTool = (part: PartOf<"tool">): void => {
    const from = step.tools.get(part.id) ?? "none";
    if (from === "none" && !place(part.n)) return;
    const next = toToolChunks(part, from);
    if (!next) {
      step.isDisordered = true;
      return;
    }
    if (from === "none") open = end(open);
    for (const chunk of next.chunks) send(chunk);
    step.tools.set(part.id, next.stage);
    if (part.state !== "running" || !part.progress) return;
    send({ type: "data-progress", data: { toolCallId: part.id, ...part.progress }, transient: true });
  };

  const show = (part: Part): void => {
    if (part.kind === "text" || part.kind === "reasoning") return showText(part);
    if (part.kind === "tool") return showTool(part);
    const chunk = toWholeChunk(part);
    if (!chunk || !place(part.n)) return;
    open = end(open);
    send(chunk);
  };

  /** Sends the step again in its right order if it was streamed in another one. */
  const flush = (): void => {
    if (!step.isDisordered) return;
    // Text of this step was added to a part of an earlier one, which `reset-step` does not remove.
    isBroken ||= [...step.texts.values()].some(({ isJoined }) => isJoined);
    const { parts } = step;
    step = { ...newStep(), parts };
    [open, cut] = [null, end(cut)];
    send({ type: "reset-step" });
    for (const part of [...parts.values()].toSorted((a, b) => a.n - b.n)) if (part.aside === undefined) show(part);
  };

  const take = (part: Part): void => {
    if (part.kind === "context") return;
    if (part.kind === "step") return startStep();
    if (part.kind === "source") {
      if (part.aside === undefined) sources.set(part.n, part);
      return;
    }
    step.parts.set(part.n, part);
    if (part.aside !== undefined) {
      if (step.texts.has(part.id) || step.tools.has(part.id)) step.isDisordered = true;
    } else if (!step.isDisordered) show(part);
  };

  const finish = (run: RunView | null): void => {
    [open, cut] = [end(open), end(cut)];
    if (run?.state === "ended") {
      for (const part of [...sources.values()].toSorted((a, b) => a.n - b.n))
        for (const chunk of toSourceChunk(part)) send(chunk);
    }
    if (steps > 0) send({ type: "finish-step" });
    isMuted = false;
    for (const chunk of toEnd(run)) send(chunk);
    isDone = true;
  };

  return {
    open: ({ id, runId, createdAt, threadId }, parts) => {
      send({ type: "start", messageId: id, messageMetadata: { threadId, runId, createdAt } });
      if (clientSteps === 0) send({ type: "reset-step" });
      isMuted = clientSteps !== null && clientSteps > 0;
      for (const part of parts) take(part);
    },
    part: take,
    textDelta: ({ partId: id, n, kind, joined, text: delta }) => {
      if (step.isDisordered) return null;
      const known = step.texts.get(id);
      if (known && known !== open) step.isDisordered = true;
      const text = known ?? startText({ id, n, kind, joined });
      if (!text || step.isDisordered) return null;
      append(text, delta);
      return isMuted ? null : text;
    },
    inputDelta: ({ partId: id, n, step: ofStep, callId, name, text }) => {
      if (step.isDisordered) return;
      if (!step.tools.has(id)) {
        if (!place(n)) return;
        open = end(open);
        const part = { id, v: 1, n, step: ofStep, kind: "tool", callId, name, state: "input-streaming" } as const;
        send({ type: "tool-input-start", ...toToolHead(part) });
        step.tools.set(id, "input-streaming");
      }
      if (text !== "") send({ type: "tool-input-delta", toolCallId: id, inputTextDelta: text });
    },
    run: (run) => {
      flush();
      if (run.state !== "running") return finish(run);
      if (run.waitingFor !== undefined) {
        send({ type: "data-status", data: { text: run.waitingFor }, transient: true });
      }
      return undefined;
    },
    leave: () => {
      flush();
      finish(null);
    },
    isDone: () => isDone,
    isBroken: () => isBroken,
  };
}

/** A text as it is in JSON, without the quotes. */
const toEncoded = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The last chunks of a message. A client that gets `error` reads nothing after it, so the metadata comes first. */
function toEnd(run: RunView | null): readonly Chunk[] {
  if (run === null) return [{ type: "finish", finishReason: "stop" }];
  const messageMetadata = toMetadata(run);
  const text = run.reason?.text;
  if (run.state === "waiting") return [{ type: "finish", finishReason: "tool-calls", messageMetadata }];
  if (run.state === "parked" || run.outcome === "failed") {
    return [
      { type: "message-metadata", messageMetadata },
      { type: "error", errorText: text ?? "The answer failed." },
      { type: "finish", finishReason: "error", messageMetadata },
    ];
  }
  if (run.outcome === "stopped") {
    return [
      { type: "abort", reason: text ?? "The answer was stopped." },
      { type: "finish", finishReason: "interrupted", messageMetadata },
    ];
  }
  return [{ type: "finish", finishReason: run.outcome === "limit" ? "length" : "stop", messageMetadata }];
}
