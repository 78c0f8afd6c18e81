import type { Box } from "./layout.ts";
import { joinBlocks, toOneLine } from "./inline.ts";

/** A table of data in the form of GFM; a table that only places things on the page as the blocks that it holds. */
export function renderTable(box: Box, render: (box: Box) => readonly string[]): string {
  const rows = findRows(box);
  if (isLayout(box, rows)) return joinBlocks(render(box));
  const caption = box.children
    .filter((child) => child.kind === "box" && child.tag === "caption")
    .flatMap((child) => (child.kind === "box" ? render(child) : []));
  const cells = rows
    .map((row) => row.map((cell) => toOneLine(render(cell)).replaceAll("|", "\\|")))
    .filter((row) => row.some((cell) => cell !== ""));
  const [head, ...rest] = cells;
  if (head === undefined) return joinBlocks(caption);
  const width = Math.max(...cells.map((row) => row.length));
  const toLine = (row: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, column) => row[column] ?? "").join(" | ")} |`;
  const ruler = `| ${Array.from({ length: width }, () => "---").join(" | ")} |`;
  return joinBlocks([...caption, [toLine(head), ruler, ...rest.map(toLine)].join("\n")]);
}

const findRows = (box: Box): readonly (readonly Box[])[] =>
  box.children.flatMap((child): readonly (readonly Box[])[] => {
    if (child.kind !== "box" || child.tag === "table") return [];
    if (child.tag !== "tr") return child.tag === "caption" ? [] : findRows(child);
    return [child.children.flatMap((cell) => (cell.kind === "box" && /^t[dh]$/.test(cell.tag) ? [cell] : []))];
  });

/** One column or one row, a table inside, or cells with much in them. */
function isLayout(box: Box, rows: readonly (readonly Box[])[]): boolean {
  if (rows.length < 2 || rows.every((row) => row.length < 2)) return true;
  const cells = rows.flat();
  if (cells.some((cell) => holdsTable(cell))) return true;
  const hasHead = cells.some(({ tag }) => tag === "th");
  return !hasHead && box.words / Math.max(1, cells.length) > 40;
}

const holdsTable = (box: Box): boolean =>
  box.children.some(
    (child) => child.kind === "box" && (child.tag === "table" || child.tag === "pre" || holdsTable(child)),
  );
