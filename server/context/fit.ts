import type { ShortenedResult } from "../../protocol/context/receipt.ts";
import type { PromptMessage, PromptPart } from "../../protocol/model.ts";
import { isTerminal, type PartOf } from "../../protocol/parts.ts";
import { toResult, toWholeResult, type Unit } from "./units.ts";

export type Counter = (text: string) => number;

/** A unit as it is sent. `room`: the tokens that each of its texts was shortened to. */
export type FittedUnit = { readonly unit: Unit; readonly room?: number; readonly from?: number };

/**
 * Token limits per unit, within the tokens that the system prompt, the tools and the reserve for the answer leave. The message being
 * answered has priority and is sent whole if it fits; summaries, context updates and older messages are left out first. The newest
 * step of its answer is guaranteed a quarter of them and takes at most half, the context update an eighth. Any other unit
 * takes at most half.
 */
export function toShares(units: readonly Unit[], budget: number): (unit: Unit) => number {
  const at = units.findLastIndex(({ kind }) => kind === "message");
  const asked = units[at];
  const update = units[at - 1]?.kind === "update" ? units[at - 1] : undefined;
  const step = at < units.length - 1 ? units.at(-1) : undefined;
  const ahead = Math.min(update?.tokens ?? 0, smallestUpdate(budget));
  const most = Math.max(0, budget - ahead - Math.min(step?.tokens ?? 0, Math.floor(budget / 4)));
  const left = budget - ahead - Math.min(asked?.tokens ?? 0, most);
  const half = Math.floor(budget / 2);
  return (unit) => (unit === asked ? most : unit === step ? Math.min(half, left) : half);
}

export const smallestUpdate = (budget: number): number => Math.floor(Math.max(0, budget) / 8);

/**
 * The newest units that fit. The last user message and the last step after it are always kept. A prompt starts with a user
 * message, so an answer is dropped together with its question.
 */
export function keepNewest(units: readonly Unit[], budget: number): readonly Unit[] {
  const asked = units.findLastIndex((unit) => unit.kind === "message");
  const shareOf = toShares(units, budget);
  const sizeOf = (unit: Unit | undefined) => (unit ? Math.min(unit.tokens, shareOf(unit)) : 0);
  let start = units.length;
  let total = sizeOf(units[asked]);
  for (let index = units.length - 1; index >= 0; index -= 1) {
    if (index !== asked) total += sizeOf(units[index]);
    if (total > budget && index < units.length - 1) break;
    start = index;
  }
  const opening = units.findIndex((unit, index) => index >= start && unit.kind !== "step");
  if (opening >= 0 && opening <= asked) return units.slice(opening);
  const question = units[asked];
  return question ? [question, ...units.slice(Math.max(start, asked + 1))] : units.slice(start);
}

/** Shortens a unit that exceeds its share. Its texts, results and arguments get equal parts of it. */
export function shortenToFit(unit: Unit, most: number, count: Counter): FittedUnit {
  if (unit.tokens <= most) return { unit };
  const pieces = unit.messages.reduce((sum, message) => sum + piecesOf(message), 0);
  const least = unit.kind === "message" ? LEAST_OF_WORDS : 0;
  const room = Math.max(least, Math.floor(most / Math.max(1, pieces)) - TOKENS_OF_FRAME);
  return { unit: shorten(unit, room, count), room, from: unit.tokens };
}

/** Deterministic: receipts are verified by shortening the unit again. */
export function shorten(unit: Unit, room: number, count: Counter): Unit {
  const messages = unit.messages.map((message): PromptMessage => {
    if (message.role === "user") return { ...message, text: cut(message.text, room, count) };
    if (message.role === "tool") {
      const results = message.results.map((result) => ({ ...result, text: cut(result.text, room, count) }));
      return { ...message, results };
    }
    return { ...message, parts: message.parts.flatMap((part) => shortenPart(part, room, count)) };
  });
  const kept = messages.filter((message) => message.role !== "assistant" || message.parts.length > 0);
  return { ...unit, messages: kept, tokens: count(JSON.stringify(kept)) };
}

/** The shortened tool results of a unit. */
export function listShortened({ messageId, parts, messages }: Unit): readonly ShortenedResult[] {
  const sent = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  const calls = parts.filter((part): part is PartOf<"tool"> => part.kind === "tool" && isTerminal(part.state));
  return sent.flatMap(({ text }, index) => {
    const call = calls[index];
    if (!call || (call.digest === undefined && text === toResult(call).text)) return [];
    const [part, fromCharacters] = [`${messageId}/${call.n}`, toWholeResult(call).length];
    return [{ part, tool: call.name, characters: text.length, fromCharacters }];
  });
}

/** A user message keeps at least this many tokens, even in a tiny window. */
const LEAST_OF_WORDS = 64;

/** Tokens of names, ids and quotes around a piece. */
const TOKENS_OF_FRAME = 30;

const piecesOf = (message: PromptMessage): number => {
  if (message.role === "user") return 1;
  return message.role === "tool" ? message.results.length : message.parts.length;
};

/** Reasoning is signed, so it is sent unchanged or not at all. */
function shortenPart(part: PromptPart, tokens: number, count: Counter): PromptPart[] {
  if (part.kind === "text") return [{ ...part, text: cut(part.text, tokens, count) }];
  if (part.kind === "reasoning") return count(JSON.stringify(part)) <= tokens ? [part] : [];
  const input = JSON.stringify(part.input);
  return [count(input) <= tokens ? part : { ...part, input: { left_out: cut(input, tokens, count) } }];
}

/** Keeps the beginning and the end, by the text's average of characters per token, minus a margin. */
function cut(text: string, tokens: number, count: Counter): string {
  const whole = count(text);
  if (whole <= tokens) return text;
  const half = Math.max(0, Math.floor((text.length * tokens * 0.45) / whole));
  const left = text.slice(0, half).toWellFormed();
  const right = text.slice(text.length - half).toWellFormed();
  return `${left}\n[… ${text.length - 2 * half} characters left out …]\n${right}`;
}
