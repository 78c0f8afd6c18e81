import { matchLines } from "../diff-lines.ts";

/** Where lines of an earlier text stand by now; null: they were changed, or it cannot be told. */
export type Moved = (start: number, end: number) => Range | null;
export type Range = { readonly start: number; readonly end: number };

/**
 * Two alignments are made, one from the beginning and one from the end. Where copies of the same lines make them differ, it is
 * not known which copy is the old one, and none is named.
 */
export function traceMoves(before: readonly string[], after: readonly string[]): Moved {
  let made: readonly [readonly number[], readonly number[]] | undefined;
  return (start, end) => {
    made ??= [matchLines(before, after), matchBack(before, after)];
    const [forward, backward] = made;
    const first = forward[start] ?? -1;
    if (first < 0) return null;
    for (let index = start; index < end; index += 1) {
      const wanted = first + index - start;
      if (forward[index] !== wanted || backward[index] !== wanted) return null;
    }
    return { start: first, end: first + end - start };
  };
}

function matchBack(before: readonly string[], after: readonly string[]): readonly number[] {
  const mirrored = matchLines(before.toReversed(), after.toReversed());
  return before.map((_, index) => {
    const found = mirrored[before.length - 1 - index] ?? -1;
    return found < 0 ? -1 : after.length - 1 - found;
  });
}
