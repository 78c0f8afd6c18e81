import type { ModelEvent } from "../../../protocol/model.ts";
import { PART_VERSION, type Part, type PartOf } from "../../../protocol/parts.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Writer } from "../../log/log.ts";
import { createJoin, type Join } from "./join-text.ts";
import { toNotice } from "./notice.ts";

/** Collects the parts of one model call. Each delta is passed to the log's writer as it arrives; complete parts are settled together at the end. */
export type PartCollector = {
  readonly take: (event: StreamedEvent) => void;
  /** The parts so far. Parts that have not ended get the state passed as `unfinished`. */
  readonly parts: (unfinished: "done" | "cut") => readonly Part[];
  readonly text: () => string;
  readonly nextPart: () => number;
};

/** Maximum tool calls in one step. One more is stored with an error result that reports the dropped calls to the model. */
const MAX_CALLS = 32;
const TOO_MANY = `call(s) were not run: one step can have at most ${MAX_CALLS} calls.`;

type StreamedEvent = Exclude<ModelEvent, { type: "finish" } | { type: "failed" } | { type: "waiting" }>;

type Open = {
  readonly n: number;
  kind: "text" | "reasoning" | "tool" | "settled";
  readonly head: string;
  readonly callId: string;
  readonly name: string;
  text: string;
  ended: boolean;
  readonly startedAt: number;
  endedAt?: number;
  provider?: unknown;
  part?: Part;
  join?: Join;
};

type Options = {
  readonly writer: Writer;
  readonly clock: Clock;
  readonly messageId: string;
  readonly step: number;
  readonly firstPart: number;
  /** Interrupted text that the first text of this call continues. */
  readonly continues: string | null;
};

export function createPartCollector({ writer, clock, messageId, step, firstPart, continues }: Options): PartCollector {
  const open = new Map<string, Open>();
  let next = firstPart;
  let unjoined = continues;
  const limit = createCallLimit();
  const listNotices = (): readonly PartOf<"notice">[] => {
    const text = limit.describe();
    if (text === null) return [];
    return [toNotice({ nextPart: next, view: { messageId, step } }, { code: "too-many-calls", text })];
  };
  const refuseRest = (part: Part): Part => (part.n === open.get(limit.firstDropped())?.n ? limit.refuse(part) : part);

  const idOf = (n: number): string => `${messageId}.${n}`;

  const add = (key: string, kind: Open["kind"], callId = "", name = ""): Open => {
    const n = next++;
    const one: Open = { n, kind, head: "", callId, name, text: "", ended: false, startedAt: clock.monotonic() };
    const partIds = { messageId, partId: idOf(n) };
    const join = kind === "text" && unjoined !== null ? createJoin(unjoined) : undefined;
    if (join) unjoined = null;
    const shape =
      kind === "tool"
        ? { type: "tool-input-delta", ...partIds, n, step, callId, name, text: "" }
        : { type: "text-delta", ...partIds, kind, n, step, ...(join ? { joined: true } : {}), text: "" };
    const opened: Open = {
      ...one,
      head: JSON.stringify(shape).slice(0, -`""}`.length),
      ...(join ? { join } : {}),
    };
    open.set(key, opened);
    return opened;
  };

  const append = (one: Open, delta: string): void => {
    const text = one.join ? one.join.take(delta) : delta;
    if (text === "") return;
    one.text += text;
    writer.append(one.head, text);
  };

  const settled = (make: (placed: { id: string; v: 1; n: number; step: number }) => Part): void => {
    const one = add(`settled ${next}`, "settled");
    one.part = make({ id: idOf(one.n), v: PART_VERSION, n: one.n, step });
  };

  const take = (event: StreamedEvent): void => {
    switch (event.type) {
      case "start":
        add(event.key, event.kind);
        return;
      case "delta":
        if (!limit.isCall(event.key) || open.has(event.key))
          append(open.get(event.key) ?? add(event.key, "text"), event.text);
        return;
      case "end": {
        const one = open.get(event.key);
        if (!one) return;
        one.ended = true;
        one.endedAt = clock.monotonic();
        if (event.provider !== undefined) one.provider = event.provider;
        if (event.isReasoning === true) {
          one.kind = "reasoning";
          // The text that continues the interrupted one is still to come.
          if (one.join) unjoined = continues;
        }
        return;
      }
      case "tool-start":
        if (!open.has(event.key) && !limit.admit(event.key)) return;
        append(add(event.key, "tool", event.callId, event.name), "");
        return;
      case "tool-call": {
        if (!open.has(event.key) && !limit.admit(event.key)) return;
        const one = open.get(event.key) ?? add(event.key, "tool", event.callId, event.name);
        if (!one.text) append(one, event.inputText);
        one.text = event.inputText;
        one.ended = true;
        if (event.provider !== undefined) one.provider = event.provider;
        return;
      }
      case "source": {
        const { type: _, ...source } = event;
        settled((placed) => ({ ...placed, kind: "source", ...source }));
        return;
      }
      case "file": {
        const { mediaType, content } = event;
        settled((placed) => ({ ...placed, kind: "file", mediaType, content }));
      }
    }
  };

  return {
    take,
    parts: (unfinished) => [
      ...[...open.values()]
        .filter(hasContent)
        .map((one) => refuseRest(toPart(one, { id: idOf(one.n), v: PART_VERSION, n: one.n, step }, unfinished))),
      ...listNotices(),
    ],
    text: () => [...open.values()].map(textOf).join(""),
    nextPart: () => next + listNotices().length,
  };
}

/** A dropped call gets no part, no delta and no row. */
function createCallLimit() {
  const calls = new Set<string>();
  return {
    isCall: (key: string): boolean => calls.has(key),
    /** Counts the call. False if it is dropped. */
    admit: (key: string): boolean => {
      const isNew = !calls.has(key);
      calls.add(key);
      return isNew && calls.size <= MAX_CALLS + 1;
    },
    /** The key of the call whose result reports the dropped ones. */
    firstDropped: (): string => [...calls][MAX_CALLS] ?? "",
    refuse: (part: Part): Part =>
      part.kind === "tool" ? { ...part, state: "error", errorText: `${calls.size - MAX_CALLS} ${TOO_MANY}` } : part,
    describe: (): string | null =>
      calls.size <= MAX_CALLS
        ? null
        : `The model made ${calls.size} tool calls in one step. Only the first ${MAX_CALLS} are run.`,
  };
}

const textOf = ({ text, join }: Open): string => text + (join?.rest() ?? "");

const hasContent = (one: Open): boolean =>
  one.kind === "tool" || one.part !== undefined || textOf(one) !== "" || one.provider !== undefined;

const toDuration = ({ startedAt, endedAt }: Open) =>
  endedAt === undefined ? {} : { durationMs: Math.max(0, Math.round(endedAt - startedAt)) };

type PartHead = { readonly id: string; readonly v: typeof PART_VERSION; readonly n: number; readonly step: number };

function toPart(one: Open, head: PartHead, unfinished: "done" | "cut"): Part {
  if (one.part) return one.part;
  const provider = one.provider === undefined ? {} : { provider: one.provider };
  if (one.kind === "tool") {
    const { callId, name, text, ended } = one;
    const tool: PartOf<"tool"> = { ...head, kind: "tool", callId, name, state: "ready", inputText: text, ...provider };
    return ended ? tool : { ...tool, state: "cancelled", errorText: "The model did not complete this call." };
  }
  const state = one.ended ? "done" : unfinished;
  return one.kind === "reasoning"
    ? { ...head, kind: "reasoning", state, text: textOf(one), ...toDuration(one), ...provider }
    : { ...head, kind: "text", state, text: textOf(one), ...(one.join ? { joined: true as const } : {}) };
}
