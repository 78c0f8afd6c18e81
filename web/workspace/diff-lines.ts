/** A line of a diff: on both sides, only before, or only after. Numbers begin at 1. */
export type DiffLine =
  | { readonly kind: "same"; readonly before: number; readonly after: number; readonly text: string }
  | { readonly kind: "gone"; readonly before: number; readonly text: string }
  | { readonly kind: "come"; readonly after: number; readonly text: string };

/** Past this many differing lines the shortest way is not looked for: all of the one goes, all of the other comes. */
const mostEdits = 1000;

/** The shortest way from one text to another, line by line (Myers, "An O(ND) Difference Algorithm and Its Variations"). */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const a = toLines(before);
  const b = toLines(after);
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const kept = matchLines(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  const goTo = (nextI: number, nextJ: number) => {
    for (; i < nextI; i += 1) lines.push({ kind: "gone", before: i + 1, text: a[i] ?? "" });
    for (; j < nextJ; j += 1) lines.push({ kind: "come", after: j + 1, text: b[j] ?? "" });
  };
  const keep = (count: number) => {
    for (let n = 0; n < count; n += 1, i += 1, j += 1)
      lines.push({ kind: "same", before: i + 1, after: j + 1, text: a[i] ?? "" });
  };
  keep(start);
  for (const [x, y] of kept) {
    goTo(start + x, start + y);
    keep(1);
  }
  goTo(a.length - end, b.length - end);
  keep(end);
  return lines;
}

export type DiffCount = { readonly come: number; readonly gone: number };

export const countDiff = (lines: readonly DiffLine[]): DiffCount => ({
  come: lines.filter(({ kind }) => kind === "come").length,
  gone: lines.filter(({ kind }) => kind === "gone").length,
});

/** Without a last empty line, which stands for the end of the line before it. */
function toLines(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split(/\r\n|\n|\r/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

type Pair = readonly [number, number];

/** Which lines of the one are which of the other. */
function matchLines(a: readonly string[], b: readonly string[]): readonly Pair[] {
  const most = Math.min(a.length + b.length, mostEdits);
  const reach = new Int32Array(2 * most + 3);
  const trail: Int32Array[] = [];
  for (let d = 0; d <= most; d += 1) {
    trail.push(reach.slice());
    for (let k = -d; k <= d; k += 2) {
      const isDown = k === -d || (k !== d && at(reach, most, k - 1) < at(reach, most, k + 1));
      let x = isDown ? at(reach, most, k + 1) : at(reach, most, k - 1) + 1;
      let y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x += 1;
        y += 1;
      }
      reach[k + most + 1] = x;
      if (x >= a.length && y >= b.length) return walkBack(trail, most, [a.length, b.length]);
    }
  }
  return [];
}

const at = (reach: Int32Array, most: number, k: number): number => reach[k + most + 1] ?? 0;

function walkBack(trail: readonly Int32Array[], most: number, end: Pair): readonly Pair[] {
  const pairs: Pair[] = [];
  let [x, y] = end;
  for (let d = trail.length - 1; d >= 0; d -= 1) {
    const reach = trail[d] ?? new Int32Array();
    const k = x - y;
    const isDown = k === -d || (k !== d && at(reach, most, k - 1) < at(reach, most, k + 1));
    const before = isDown ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : at(reach, most, before);
    const fromY = d === 0 ? 0 : fromX - before;
    const startX = d === 0 ? 0 : isDown ? fromX : fromX + 1;
    while (x > startX && y > (d === 0 ? 0 : startX - k)) {
      x -= 1;
      y -= 1;
      pairs.push([x, y]);
    }
    [x, y] = [fromX, fromY];
  }
  return pairs.toReversed();
}
