import type { ModelEvent } from "../../../protocol/model.ts";
import { PART_VERSION, type Part, type PartOf } from "../../../protocol/parts.ts";
import type { Writer } from "../../log/log.ts";
import { createJoin, type Join } from "./join-text.ts";
import { toNotice } from "./notice.ts";

/** Collects the parts of one model call. Each delta is logged at once; complete parts are settled together at the end. */
export type PartCollector = {
  readonly take: (event: StreamedEvent) => void;
  /** The parts so far. Unfinished ones get the state `unfinished`. */
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
  readonly kind: "text" | "reasoning" | "tool" | "settled";
  readonly head: string;
  readonly callId: string;
  readonly name: string;
  text: string;
  ended: boolean;
  provider?: unknown;
  part?: Part;
  join?: Join;
};

type Options = {
  readonly writer: Writer;
  readonly messageId: string;
  readonly step: number;
  readonly firstPart: number;
  /** Interrupted text that the first text of this call continues. */
  readonly continues: string | null;
};

export function createPartCollector({ writer, messageId, step, firstPart, continues }: Options): PartCollector {
  const open = new Map<string, Open>();
  let next = firstPart;
  let unjoined = continues;
  const calls = new Set<string>();
  /** A dropped call gets no part, no delta and no row. */
  const isKept = (key: string): boolean => {
    if (calls.has(key)) return open.has(key);
    calls.add(key);
    return calls.size <= MAX_CALLS + 1;
  };
  const listNotices = (): readonly PartOf<"notice">[] => {
    if (calls.size <= MAX_CALLS) return [];
    const text = `The model made ${calls.size} tool calls in one step. Only the first ${MAX_CALLS} are run.`;
    return [toNotice({ nextPart: next, view: { messageId, step } }, { code: "too-many-calls", text })];
  };
  const refuseRest = (part: Part): Part =>
    part.kind === "tool" && part.n === open.get([...calls][MAX_CALLS] ?? "")?.n
      ? { ...part, state: "error", errorText: `${calls.size - MAX_CALLS} ${TOO_MANY}` }
      : part;

  const idOf = (n: number): string => `${messageId}.${n}`;

  const add = (key: string, kind: Open["kind"], callId = "", name = ""): Open => {
    const n = next++;
    const one: Open = { n, kind, head: "", callId, name, text: "", ended: false };
    const said = { messageId, partId: idOf(n) };
    const join = kind === "text" && unjoined !== null ? createJoin(unjoined) : undefined;
    if (join) unjoined = null;
    const shape =
      kind === "tool"
        ? { type: "tool-input-delta", ...said, n, step, callId, name, text: "" }
        : { type: "text-delta", ...said, kind, n, step, ...(join ? { joined: true } : {}), text: "" };
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

  const textOf = ({ text, join }: Open): string => text + (join?.rest() ?? "");

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
        if (!calls.has(event.key) || isKept(event.key))
          append(open.get(event.key) ?? add(event.key, "text"), event.text);
        return;
      case "end": {
        const one = open.get(event.key);
        if (!one) return;
        one.ended = true;
        if (event.provider !== undefined) one.provider = event.provider;
        return;
      }
      case "tool-start":
        if (!isKept(event.key)) return;
        append(add(event.key, "tool", event.callId, event.name), "");
        return;
      case "tool-call": {
        if (!isKept(event.key)) return;
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

  const toPart = (one: Open, unfinished: "done" | "cut"): Part => {
    if (one.part) return one.part;
    const placed = { id: idOf(one.n), v: PART_VERSION, n: one.n, step } as const;
    const provider = one.provider === undefined ? {} : { provider: one.provider };
    if (one.kind === "tool") {
      const { callId, name, text, ended } = one;
      const tool: PartOf<"tool"> = {
        ...placed,
        kind: "tool",
        callId,
        name,
        state: "ready",
        inputText: text,
        ...provider,
      };
      return ended ? tool : { ...tool, state: "cancelled", errorText: "The model did not complete this call." };
    }
    const state = one.ended ? "done" : unfinished;
    return one.kind === "reasoning"
      ? { ...placed, kind: "reasoning", state, text: one.text, ...provider }
      : { ...placed, kind: "text", state, text: textOf(one), ...(one.join ? { joined: true as const } : {}) };
  };

  const isSaid = (one: Open): boolean =>
    one.kind === "tool" || one.part !== undefined || textOf(one) !== "" || one.provider !== undefined;

  return {
    take,
    parts: (unfinished) => [
      ...[...open.values()].filter(isSaid).map((one) => refuseRest(toPart(one, unfinished))),
      ...listNotices(),
    ],
    text: () => [...open.values()].map(textOf).join(""),
    nextPart: () => next + listNotices().length,
  };
}
