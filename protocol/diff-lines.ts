/** One line of a diff. */
export type DiffLine = {
  readonly sign: " " | "-" | "+";
  readonly text: string;
  /** 0-based line number in the old and new text; in the text that lacks the line, the number of the next one. */
  readonly before: number;
  readonly after: number;
};

/** Unchanged, removed and added lines in order; removed lines come before the lines that replace them. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const matched = matchLines(before, after);
  const lines: DiffLine[] = [];
  let added = 0;
  const addUntil = (end: number, index: number): void => {
    for (; added < end; added += 1) lines.push({ sign: "+", text: after[added] ?? "", before: index, after: added });
  };
  for (const [index, text] of before.entries()) {
    const match = matched[index] ?? -1;
    if (match >= 0) addUntil(match, index);
    lines.push({ sign: match < 0 ? "-" : " ", text, before: index, after: added });
    if (match >= 0) added += 1;
  }
  addUntil(after.length, before.length);
  return lines;
}

/**
 * Returns for each line of `before` the index of the same line in `after`, or -1. Longest common subsequence (Myers), O(ND). Texts that
 * differ too much are matched only at their beginning and end.
 */
export function matchLines(before: readonly string[], after: readonly string[]): readonly number[] {
  const matched = before.map(() => -1);
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) {
    matched[start] = start;
    start += 1;
  }
  let [endA, endB] = [before.length, after.length];
  while (endA > start && endB > start && before[endA - 1] === after[endB - 1]) {
    endA -= 1;
    endB -= 1;
    matched[endA] = endB;
  }
  for (const [a, b] of findPath(before.slice(start, endA), after.slice(start, endB))) matched[start + a] = start + b;
  return matched;
}

const MAX_STEPS = 1500;

function findPath(before: readonly string[], after: readonly string[]): readonly (readonly [number, number])[] {
  if (before.length === 0 || after.length === 0) return [];
  const [a, b] = toNumbers(before, after);
  const most = Math.min(MAX_STEPS, a.length + b.length);
  const trail: Int32Array[] = [];
  const reach = new Int32Array(2 * most + 3);
  const middle = most + 1;
  for (let d = 0; d <= most; d += 1) {
    trail.push(reach.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      let x = goesDown(reach, middle + k, k, d) ? at(reach, middle + k + 1) : at(reach, middle + k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reach[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return walkBack(trail, a.length, b.length);
    }
  }
  return [];
}

const at = (numbers: Int32Array, index: number): number => numbers[index] ?? 0;
const goesDown = (reach: Int32Array, index: number, k: number, d: number): boolean =>
  k === -d || (k !== d && at(reach, index - 1) < at(reach, index + 1));

function walkBack(trail: readonly Int32Array[], endA: number, endB: number): readonly (readonly [number, number])[] {
  const pairs: [number, number][] = [];
  let [x, y] = [endA, endB];
  for (let d = trail.length - 1; d >= 0; d -= 1) {
    const reach = trail[d] ?? new Int32Array();
    const k = x - y;
    const middle = d + 1;
    const from = goesDown(reach, middle + k, k, d) ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : at(reach, middle + from);
    const fromY = d === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY) pairs.push([(x -= 1), (y -= 1)]);
    [x, y] = [fromX, fromY];
  }
  return pairs.toReversed();
}

function toNumbers(...texts: readonly (readonly string[])[]): readonly [Int32Array, Int32Array] {
  const known = new Map<string, number>();
  const [a = new Int32Array(), b = new Int32Array()] = texts.map((lines) =>
    Int32Array.from(lines, (line) => {
      const number = known.get(line) ?? known.size;
      known.set(line, number);
      return number;
    }),
  );
  return [a, b];
}
