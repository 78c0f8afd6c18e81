export type ComparedLine = { readonly text: string; readonly isOwn: boolean };

/** More lines than these in the part that differs are not compared with each other. */
const mostLines = 1500;

/** Two texts by their lines: those that only one of them has are its own. */
export function compareLines(before: string, after: string) {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const [middleA, middleB] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  const shared = middleA.length + middleB.length > mostLines ? none : findShared(middleA, middleB);
  const mark = (lines: readonly string[], own: ReadonlySet<number>): readonly ComparedLine[] =>
    lines.map((text, index) => ({
      text,
      isOwn: index >= head && index < lines.length - tail && !own.has(index - head),
    }));
  return { before: mark(a, shared.a), after: mark(b, shared.b) };
}

const none = { a: new Set<number>(), b: new Set<number>() };

/** The longest common subsequence, by the table. */
function findShared(a: readonly string[], b: readonly string[]) {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const shared = { a: new Set<number>(), b: new Set<number>() };
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      shared.a.add(i++);
      shared.b.add(j++);
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return shared;
}
