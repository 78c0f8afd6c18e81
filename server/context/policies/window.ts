import { keepNewest, toShares, type Counter } from "../fit.ts";
import { TOKENS_PER_MESSAGE, toUnit, type Unit } from "../prompt.ts";
import type { BlockItem, PolicyBlock, PolicyInput } from "./policy.ts";

/** The path in two: what came before, and the turn that is answered now, which every design has in full while it runs. */
export type Turns = { readonly earlier: readonly Unit[]; readonly current: readonly Unit[]; readonly left: number };

export function splitTurns({ units, budget }: Pick<PolicyInput, "units" | "budget">): Turns {
  let start = units.findLastIndex(({ kind }) => kind === "message");
  while (start > 0 && units[start - 1]?.kind === "message") start -= 1;
  if (start < 0) start = 0;
  const current = keepNewest(units.slice(start), budget);
  const shareOf = toShares(current, budget);
  const used = current.reduce((sum, unit) => sum + Math.min(unit.tokens, shareOf(unit)), 0);
  return { earlier: units.slice(0, start), current, left: Math.max(0, budget - used) };
}

/** As large as it may be when it is sent. */
export const sizeOf = (unit: Unit, budget: number): number => Math.min(unit.tokens, Math.floor(budget / 2));

/** The newest of these that fit, without a gap; from words of the person on, where nothing in their role stands ahead. */
export function fillNewest(
  units: readonly Unit[],
  { left, budget, isOpened }: { readonly left: number; readonly budget: number; readonly isOpened: boolean },
): readonly Unit[] {
  let start = units.length;
  let total = 0;
  for (let index = units.length - 1; index >= 0; index -= 1) {
    total += sizeOf(units[index] as Unit, budget);
    if (total > left) break;
    start = index;
  }
  if (isOpened) return units.slice(start);
  const opening = units.findIndex(({ kind }, index) => index >= start && kind === "message");
  return opening < 0 ? [] : units.slice(opening);
}

/** Without the steps of the answer under way: what is counted without them stays the same throughout a turn. */
export function withoutAnswer(units: readonly Unit[]): readonly Unit[] {
  const asked = units.findLastIndex(({ kind }) => kind === "message");
  return asked < 0 ? units : units.slice(0, asked + 1);
}

/** Where the last `count` messages begin, of those that say something. The answer under way is not counted. */
export function findFirst(units: readonly Unit[], count: number): number {
  const depths = [...new Set(withoutAnswer(units).map(({ depth }) => depth))];
  return depths.at(-count) ?? Number.NEGATIVE_INFINITY;
}

/** The same without tools and reasoning; nothing, when nothing was said. */
export function toTextOnly(unit: Unit, count: Counter): readonly Unit[] {
  if (unit.kind !== "step") return [unit];
  const parts = unit.parts.filter((part) => part.kind === "text");
  const counts = new Map(parts.map((part) => [`${unit.messageId}/${part.n}`, count(part.text)]));
  return toUnit("step", { id: unit.messageId, depth: unit.depth }, parts, counts);
}

/** Whether a message is among units of text: one that only called tools is not. */
export const hasText = (units: readonly Unit[], depth: number): boolean => units.some((unit) => unit.depth === depth);

export const toBlocks = (units: readonly Unit[]): readonly PolicyBlock[] =>
  units.map((unit) => ({ kind: "unit", unit }));

/** A text within its room, or nothing: what is cut is cut by whoever knows how. */
export function toTextBlock(text: string, item: BlockItem, left: number, count: Counter): readonly PolicyBlock[] {
  if (text === "" || costOf(text, count) > left) return [];
  return [{ kind: "text", text, item }];
}

export const costOf = (text: string, count: Counter): number => count(text) + TOKENS_PER_MESSAGE;

export const costOfBlocks = (blocks: readonly PolicyBlock[], count: Counter, budget: number): number =>
  blocks.reduce(
    (sum, block) => sum + (block.kind === "unit" ? sizeOf(block.unit, budget) : costOf(block.text, count)),
    0,
  );

/** Data with its frame. What is quoted cannot end the quotation. */
export const quote = (tag: string, frame: string, text: string): string =>
  `[${frame}]\n<${tag}>\n${text.replaceAll(`</${tag}`, `<\\/${tag}`)}\n</${tag}>`;
