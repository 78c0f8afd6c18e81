export type DiffLine = { readonly sign: " " | "-" | "+"; readonly text: string };

/** Above this, the text is shown as fully replaced: a comparison costs O(before × after). */
const MAX_CELLS = 1_000_000;

/** A line diff with unchanged, removed and added lines. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  if (before.length * after.length > MAX_CELLS) return [...mark("-", before), ...mark("+", after)];
  const common = countCommon(before, after);
  const lines: DiffLine[] = [];
  let [left, right] = [0, 0];
  while (left < before.length && right < after.length) {
    const [old = "", next = ""] = [before[left], after[right]];
    if (old === next) {
      lines.push({ sign: " ", text: old });
      [left, right] = [left + 1, right + 1];
    } else if (at(common, left + 1, right) >= at(common, left, right + 1)) {
      lines.push({ sign: "-", text: old });
      left += 1;
    } else {
      lines.push({ sign: "+", text: next });
      right += 1;
    }
  }
  return [...lines, ...mark("-", before.slice(left)), ...mark("+", after.slice(right))];
}

const mark = (sign: DiffLine["sign"], texts: readonly string[]): readonly DiffLine[] =>
  texts.map((text) => ({ sign, text }));

const at = (table: readonly Uint32Array[], row: number, column: number): number => table[row]?.[column] ?? 0;

/** The length of the longest common subsequence of the lines after each pair of positions. */
function countCommon(before: readonly string[], after: readonly string[]): readonly Uint32Array[] {
  const table = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  for (let row = before.length - 1; row >= 0; row -= 1) {
    const cells = table[row] ?? new Uint32Array();
    for (let column = after.length - 1; column >= 0; column -= 1) {
      cells[column] =
        before[row] === after[column]
          ? at(table, row + 1, column + 1) + 1
          : Math.max(at(table, row + 1, column), at(table, row, column + 1));
    }
  }
  return table;
}
