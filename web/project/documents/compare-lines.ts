export type ComparedLine = { readonly text: string; readonly isUnique: boolean };

/** If the differing part has more lines, it is not compared line by line. */
const maxLines = 1500;

/** Compares two texts by line and marks the lines that the other one does not have. */
export function compareLines(before: string, after: string) {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const [middleA, middleB] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  const common = middleA.length + middleB.length > maxLines ? none : findCommon(middleA, middleB);
  const mark = (lines: readonly string[], shared: ReadonlySet<number>): readonly ComparedLine[] =>
    lines.map((text, index) => ({
      text,
      isUnique: index >= head && index < lines.length - tail && !shared.has(index - head),
    }));
  return { before: mark(a, common.a), after: mark(b, common.b) };
}

const none = { a: new Set<number>(), b: new Set<number>() };

/** Longest common subsequence, by dynamic programming. */
function findCommon(a: readonly string[], b: readonly string[]) {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const common = { a: new Set<number>(), b: new Set<number>() };
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      common.a.add(i++);
      common.b.add(j++);
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return common;
}
