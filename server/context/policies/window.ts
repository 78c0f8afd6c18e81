import { keepNewest, toShares, type Counter } from "../fit.ts";
import { TOKENS_PER_MESSAGE, toUnit, type Unit } from "../units.ts";
import type { BlockItem, PolicyBlock, PolicyInput } from "./policy.ts";

/** The path in two parts: earlier units and the current turn, which every policy includes in full. */
type Turns = { readonly earlier: readonly Unit[]; readonly current: readonly Unit[]; readonly left: number };

export function splitTurns({ units, budget }: Pick<PolicyInput, "units" | "budget">): Turns {
  let start = units.findLastIndex(({ kind }) => kind === "message");
  while (start > 0 && units[start - 1]?.kind === "message") start -= 1;
  if (start < 0) start = 0;
  const current = keepNewest(units.slice(start), budget);
  const shareOf = toShares(current, budget);
  const used = current.reduce((sum, unit) => sum + Math.min(unit.tokens, shareOf(unit)), 0);
  return { earlier: units.slice(0, start), current, left: Math.max(0, budget - used) };
}

/** The tokens of a unit after shortening. */
export const boundedSize = (unit: Unit, budget: number): number => Math.min(unit.tokens, Math.floor(budget / 2));

/** The newest units that fit, without a gap. Starts with a user message unless a user-role text precedes them (`isOpened`). */
export function fillNewest(
  units: readonly Unit[],
  { left, budget, isOpened }: { readonly left: number; readonly budget: number; readonly isOpened: boolean },
): readonly Unit[] {
  let start = units.length;
  let total = 0;
  for (let index = units.length - 1; index >= 0; index -= 1) {
    total += boundedSize(units[index] as Unit, budget);
    if (total > left) break;
    start = index;
  }
  if (isOpened) return units.slice(start);
  const opening = units.findIndex(({ kind }, index) => index >= start && kind === "message");
  return opening < 0 ? [] : units.slice(opening);
}

/** Drops the steps of the current answer, so that counts stay constant during a turn. */
export function withoutAnswer(units: readonly Unit[]): readonly Unit[] {
  const asked = units.findLastIndex(({ kind }) => kind === "message");
  return asked < 0 ? units : units.slice(0, asked + 1);
}

/** The depth where the last `count` messages with content begin. The current answer is not counted. */
export function findFirst(units: readonly Unit[], count: number): number {
  const depths = [...new Set(withoutAnswer(units).map(({ depth }) => depth))];
  return depths.at(-count) ?? Number.NEGATIVE_INFINITY;
}

/** The unit without tools and reasoning; empty if it has no text. */
export function toTextOnly(unit: Unit, count: Counter): readonly Unit[] {
  if (unit.kind !== "step") return [unit];
  const parts = unit.parts.filter((part) => part.kind === "text");
  const counts = new Map(parts.map((part) => [`${unit.messageId}/${part.n}`, count(part.text)]));
  return toUnit("step", { id: unit.messageId, depth: unit.depth }, parts, counts);
}

/** Whether the message at this depth has text. One that only called tools has none. */
export const hasText = (units: readonly Unit[], depth: number): boolean => units.some((unit) => unit.depth === depth);

export const toBlocks = (units: readonly Unit[]): readonly PolicyBlock[] =>
  units.map((unit) => ({ kind: "unit", unit }));

/** The text as a block if it fits, otherwise nothing. Callers that can shorten it do so before. */
export function toTextBlock(text: string, item: BlockItem, left: number, count: Counter): readonly PolicyBlock[] {
  if (text === "" || costOf(text, count) > left) return [];
  return [{ kind: "text", text, item }];
}

export const costOf = (text: string, count: Counter): number => count(text) + TOKENS_PER_MESSAGE;

export const costOfBlocks = (blocks: readonly PolicyBlock[], count: Counter, budget: number): number =>
  blocks.reduce(
    (sum, block) => sum + (block.kind === "unit" ? boundedSize(block.unit, budget) : costOf(block.text, count)),
    0,
  );

/** Quotes text as data. The quoted text cannot close the tag. */
export const quoteAsData = (tag: string, frame: string, text: string): string =>
  `[${frame}]\n<${tag}>\n${text.replaceAll(`</${tag}`, `<\\/${tag}`)}\n</${tag}>`;
