import type { MessageView } from "../../protocol/fold.ts";
import type { Effort, ModelRequest, PromptMessage, PromptPart, ToolChoice, ToolSpec } from "../../protocol/model.ts";
import type { Receipt } from "./receipt.ts";
import { toUnits, type TokenCounts, type Unit } from "./prompt.ts";

/**
 * WHAT THE MODEL SEES. In: the end of the active path, the tools, the window. Out: the request and the receipt that accounts
 * for it. Pure: no I/O, no clock, no randomness, no locale; the same input gives the same bytes. For now one policy,
 * `messages`: the last 50, with tool calls and their results, as many of the newest as fit.
 */
export type Snapshot = {
  readonly system: string;
  /** In order of depth; the newest is last. */
  readonly messages: readonly MessageView[];
  readonly counts: TokenCounts;
  readonly tools: readonly ToolSpec[];
  /** Said to the model after everything else; not part of the conversation. */
  readonly note?: string;
  readonly toolChoice: ToolChoice;
  readonly effort: Effort;
  readonly model: { readonly id: string; readonly windowTokens: number | null };
  /** Messages of the path that were not loaded, because the policy's window ends before them. */
  readonly earlierMessages: number;
};

export const MESSAGES_LIMIT = 50;

/** Where a model's window is unknown: every model on the list has at least this. */
const ASSUMED_WINDOW = 32_000;
/** Left for the answer: an eighth of the window, within these bounds. */
const RESERVE = { least: 1_000, most: 16_000 };

export type Counter = (text: string) => number;

export function assemble(snapshot: Snapshot, count: Counter): { request: ModelRequest; receipt: Receipt } {
  const { system, tools, toolChoice, effort, model } = snapshot;
  const window = model.windowTokens ?? ASSUMED_WINDOW;
  const reserve = Math.min(RESERVE.most, Math.max(RESERVE.least, Math.floor(window / 8)));
  const { note = "" } = snapshot;
  const fixed = count(system) + tools.reduce((sum, tool) => sum + countTool(tool, count), 0) + count(note);
  const budget = window - reserve - fixed;
  const units = toUnits(snapshot.messages.slice(-MESSAGES_LIMIT), snapshot.counts);
  const kept = keepNewest(units, budget).map((unit) => shortenToFit(unit, budget, count));
  const request: ModelRequest = {
    system,
    messages: [
      ...kept.flatMap((unit) => unit.messages),
      ...(note === "" ? [] : [{ role: "user" as const, text: note }]),
    ],
    tools,
    toolChoice,
    effort,
    maxOutputTokens: null,
  };
  const inside = new Set(kept.map(keyOf));
  const dropped = units.filter((unit) => !inside.has(keyOf(unit)));
  return { request, receipt: toReceipt({ snapshot, window, reserve, fixed, kept, dropped }) };
}

/** Specs are made once and never change: each is counted once. */
const counted = new WeakMap<ToolSpec, number>();

function countTool(tool: ToolSpec, count: Counter): number {
  let tokens = counted.get(tool);
  if (tokens === undefined) counted.set(tool, (tokens = count(JSON.stringify(tool))));
  return tokens;
}

/**
 * The newest units that fit. The last message of the person always stands, with the last step after it; a prompt opens with
 * the person's words, so an answer whose question fell out goes with it.
 */
function keepNewest(units: readonly Unit[], budget: number): readonly Unit[] {
  const asked = units.findLastIndex((unit) => unit.role === "user");
  const sizeOf = (unit: Unit | undefined) => Math.min(unit?.tokens ?? 0, Math.floor(budget / 2));
  let start = units.length;
  let total = sizeOf(units[asked]);
  for (let index = units.length - 1; index >= 0; index -= 1) {
    if (index !== asked) total += sizeOf(units[index]);
    if (total > budget && index < units.length - 1) break;
    start = index;
  }
  const opening = units.findIndex((unit, index) => index >= start && unit.role === "user");
  if (opening >= 0) return units.slice(opening);
  const question = units[asked];
  return question ? [question, ...units.slice(start)] : units.slice(start);
}

/** One unit larger than its share: each of its texts, results and arguments keeps an equal part of the room. */
function shortenToFit(unit: Unit, budget: number, count: Counter): Unit {
  const room = Math.floor(budget / 2);
  if (unit.tokens <= room) return unit;
  const pieces = unit.messages.reduce((sum, message) => sum + piecesOf(message), 0);
  const each = Math.floor(room / Math.max(1, pieces)) - TOKENS_OF_FRAME;
  const messages = unit.messages.map((message): PromptMessage => {
    if (message.role === "user") return { ...message, text: cut(message.text, each, count) };
    if (message.role === "tool") {
      return {
        ...message,
        results: message.results.map((result) => ({ ...result, text: cut(result.text, each, count) })),
      };
    }
    return { ...message, parts: message.parts.flatMap((part) => shortenPart(part, each, count)) };
  });
  return { ...unit, messages, tokens: count(JSON.stringify(messages)) };
}

/** Names, ids and quotes around a piece. */
const TOKENS_OF_FRAME = 30;

const piecesOf = (message: PromptMessage): number => {
  if (message.role === "user") return 1;
  return message.role === "tool" ? message.results.length : message.parts.length;
};

/** Reasoning is bound to its bytes, so it goes whole or not at all. */
function shortenPart(part: PromptPart, tokens: number, count: Counter): PromptPart[] {
  if (part.kind === "text") return [{ ...part, text: cut(part.text, tokens, count) }];
  if (part.kind === "reasoning") return count(JSON.stringify(part)) <= tokens ? [part] : [];
  const input = JSON.stringify(part.input);
  return [count(input) <= tokens ? part : { ...part, input: { left_out: cut(input, tokens, count) } }];
}

/** Keeps the beginning and the end, by this text's own characters per token and a little less. */
function cut(text: string, tokens: number, count: Counter): string {
  const whole = count(text);
  if (whole <= tokens) return text;
  const half = Math.max(0, Math.floor((text.length * tokens * 0.45) / whole));
  const left = text.slice(0, half).toWellFormed();
  const right = text.slice(text.length - half).toWellFormed();
  return `${left}\n[… ${text.length - 2 * half} characters left out …]\n${right}`;
}

type Accounts = {
  readonly snapshot: Snapshot;
  readonly window: number;
  readonly reserve: number;
  readonly fixed: number;
  readonly kept: readonly Unit[];
  readonly dropped: readonly Unit[];
};

function toReceipt({ snapshot, window, reserve, fixed, kept, dropped }: Accounts): Receipt {
  const before = new Map(toUnits(snapshot.messages, snapshot.counts).map((unit) => [keyOf(unit), unit.tokens]));
  const aside = snapshot.messages.flatMap((message) =>
    message.parts.filter((part) => part.aside !== undefined).map((part) => `${message.id}/${part.n}`),
  );
  return {
    v: 1,
    policy: "messages",
    model: snapshot.model.id,
    windowTokens: window,
    windowAssumed: snapshot.model.windowTokens === null,
    reserveTokens: reserve,
    fixedTokens: fixed,
    promptTokens: fixed + kept.reduce((sum, unit) => sum + unit.tokens, 0),
    included: kept.map((unit) => {
      const whole = before.get(keyOf(unit)) ?? unit.tokens;
      const shortened = whole === unit.tokens ? {} : { shortenedFromTokens: whole };
      return {
        message: unit.messageId,
        depth: unit.depth,
        parts: unit.parts.map((part) => part.n),
        tokens: unit.tokens,
        ...shortened,
      };
    }),
    leftOut: [
      ...(snapshot.earlierMessages > 0
        ? [{ reason: "beyond-window" as const, messages: snapshot.earlierMessages, tokens: null, parts: [] }]
        : []),
      ...(dropped.length > 0
        ? [
            {
              reason: "over-budget" as const,
              messages: new Set(dropped.map((unit) => unit.messageId)).size,
              tokens: dropped.reduce((sum, unit) => sum + unit.tokens, 0),
              parts: dropped.flatMap((unit) => unit.parts.map((part) => `${unit.messageId}/${part.n}`)),
            },
          ]
        : []),
      ...(aside.length > 0 ? [{ reason: "set-aside" as const, messages: 0, tokens: null, parts: aside }] : []),
    ],
  };
}

const keyOf = (unit: Unit): string => `${unit.messageId} ${unit.parts[0]?.n ?? ""}`;
