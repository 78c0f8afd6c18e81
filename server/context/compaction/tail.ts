import type { Unit } from "../units.ts";

/** Earlier steps of a message that the compaction covers while its later steps stay, because the turn was too long. */
export type Skip = { readonly messageId: string; readonly beforeStep: number };

export type Tail = { readonly kept: readonly Unit[]; readonly gone: readonly Unit[]; readonly skip: Skip | null };

type TailSize = { readonly turns: number; readonly tokens: number; readonly most: number };

/** A turn begins with the context update or user message after an answer. */
export function toTurns(units: readonly Unit[]): readonly (readonly Unit[])[] {
  const turns: Unit[][] = [];
  for (const [index, unit] of units.entries()) {
    if (index === 0 || (unit.kind !== "step" && units[index - 1]?.kind === "step")) turns.push([]);
    turns.at(-1)?.push(unit);
  }
  return turns;
}

export const sizeOf = (units: readonly Unit[]): number => units.reduce((sum, { tokens }) => sum + tokens, 0);

/**
 * Keeps the newest turns whole: the current one, and as many before it as are wanted and fit. If the previous turn does not fit,
 * its user message and last step stay. If the current turn is too long, its user message and newest steps stay.
 */
export function chooseTail(units: readonly Unit[], wanted: TailSize): Tail {
  const turns = toTurns(units);
  const current = turns.at(-1) ?? [];
  if (sizeOf(current) > wanted.most) return keepNewestSteps(units, current, wanted.most);
  let first = turns.length - 1;
  let tokens = sizeOf(current);
  while (first > 0 && (turns.length - 1 - first < wanted.turns || tokens < wanted.tokens)) {
    const size = sizeOf(turns[first - 1] ?? []);
    if (tokens + size > wanted.most) break;
    tokens += size;
    first -= 1;
  }
  if (first === turns.length - 1 && first > 0) {
    const before = turns[first - 1] ?? [];
    const cut = keepNewestSteps(before, before, wanted.most - tokens);
    if (cut.kept.some(({ kind }) => kind === "step") && sizeOf(cut.kept) + tokens <= wanted.most) {
      const older = turns.slice(0, first - 1).flat();
      return { kept: [...cut.kept, ...current], gone: [...older, ...cut.gone], skip: cut.skip };
    }
  }
  return { kept: turns.slice(first).flat(), gone: turns.slice(0, first).flat(), skip: null };
}

/** The user message of a turn and as many of its newest steps as fit, at least one. */
function keepNewestSteps(units: readonly Unit[], turn: readonly Unit[], most: number): Tail {
  const older = units.slice(0, units.length - turn.length);
  const words = turn.filter(({ kind }) => kind !== "step");
  const steps = turn.filter(({ kind }) => kind === "step");
  let tokens = sizeOf(words);
  let from = steps.length;
  while (from > 0 && (from === steps.length || tokens + (steps[from - 1]?.tokens ?? 0) <= most)) {
    from -= 1;
    tokens += steps[from]?.tokens ?? 0;
  }
  const kept = steps.slice(from);
  const [firstKept] = kept;
  const gone = [...older, ...steps.slice(0, from)];
  if (!firstKept || from === 0) return { kept: [...words, ...steps], gone: older, skip: null };
  return { kept: [...words, ...kept], gone, skip: { messageId: firstKept.messageId, beforeStep: stepOf(firstKept) } };
}

const stepOf = (unit: Unit): number => unit.parts[0]?.step ?? 0;

/** Removes the steps that the compaction covers. */
export const dropSkipped = (units: readonly Unit[], skip: Skip | null): readonly Unit[] =>
  skip === null
    ? units
    : units.filter(
        (unit) => unit.kind !== "step" || unit.messageId !== skip.messageId || stepOf(unit) >= skip.beforeStep,
      );
