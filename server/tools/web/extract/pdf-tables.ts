/** A run of text on a PDF page, as pdf.js returns it. */
export type PlacedText = {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly width: number;
  readonly height: number;
  /** Its last two numbers are the position of the baseline. */
  readonly transform: readonly unknown[];
};
export type PdfBlock = { readonly pieces: readonly PlacedText[] } | { readonly rows: readonly (readonly string[])[] };

type Cell = { text: string; readonly from: number; to: number };
type Line = { readonly y: number; height: number; readonly pieces: PlacedText[]; readonly cells: Cell[] };
type Column = { from: number; to: number };

/** A gap of this many times the height of the text separates two cells. */
const CELL_GAP = 1;
const LEAST_ROWS = 2;

/**
 * Separates tables from other text. A table is a run of lines with cells that wide gaps separate, whose cells stay apart
 * when all lines are laid over each other. PDF does not mark tables, so merged cells and cells of several lines are
 * read as text.
 */
export function splitTables(pieces: readonly PlacedText[]): readonly PdfBlock[] {
  const blocks: PdfBlock[] = [];
  let text: PlacedText[] = [];
  let run: Line[] = [];
  const endRun = (): void => {
    const rows = toRows(run);
    if (rows === undefined) text.push(...run.flatMap((line) => line.pieces));
    else {
      blocks.push({ pieces: text }, { rows });
      text = [];
    }
    run = [];
  };
  for (const line of toLines(pieces)) {
    const last = run.at(-1);
    if (last && (line.y > last.y || last.y - line.y > 4 * Math.max(line.height, last.height))) endRun();
    if (line.cells.length > 1 && !isListItem(line)) run.push(line);
    else {
      endRun();
      text.push(...line.pieces);
    }
  }
  endRun();
  blocks.push({ pieces: text });
  return blocks;
}

/** A bullet, or a number or letter with a period, before one text. */
const isListItem = ({ cells }: Line): boolean =>
  cells.length === 2 && /^([^\p{L}\p{N}]|\p{N}{1,3}[.)]|\p{L}[.)])$/u.test(cells[0]?.text.trim() ?? "");

function toLines(pieces: readonly PlacedText[]): readonly Line[] {
  const lines: Line[] = [];
  for (const piece of pieces) {
    const [x, y] = [Number(piece.transform[4]), Number(piece.transform[5])];
    const last = lines.at(-1);
    const isSame = last !== undefined && Math.abs(last.y - y) < Math.max(1, last.height) / 2;
    const line = isSame ? last : { y, height: 0, pieces: [], cells: [] };
    if (!isSame) lines.push(line);
    line.pieces.push(piece);
    if (piece.str.trim() === "") continue;
    line.height = Math.max(line.height, piece.height);
    const cell = line.cells.at(-1);
    const isNear =
      cell !== undefined && x >= cell.to - line.height && x - cell.to < CELL_GAP * Math.max(1, piece.height);
    if (isNear) {
      cell.text += x - cell.to > 0.15 * piece.height && !cell.text.endsWith(" ") ? ` ${piece.str}` : piece.str;
      cell.to = Math.max(cell.to, x + piece.width);
    } else line.cells.push({ text: piece.str, from: x, to: x + piece.width });
  }
  return lines;
}

/** Undefined if the lines have no columns in common. */
function toRows(lines: readonly Line[]): readonly (readonly string[])[] | undefined {
  if (lines.length < LEAST_ROWS) return undefined;
  const columns = toColumns(lines.flatMap((line) => line.cells));
  const isTable = lines.every(
    (line) => new Set(line.cells.map((cell) => indexOf(columns, cell))).size === line.cells.length,
  );
  const cells = lines.reduce((sum, line) => sum + line.cells.length, 0);
  if (!isTable || columns.length < 2 || cells < lines.length * columns.length * 0.5) return undefined;
  return lines.map((line) =>
    columns.map(
      (_, n) =>
        line.cells
          .find((cell) => indexOf(columns, cell) === n)
          ?.text.replaceAll(/\s+/g, " ")
          .trim() ?? "",
    ),
  );
}

/** Overlapping cells of all lines belong to the same column. */
function toColumns(cells: readonly Cell[]): readonly Column[] {
  const columns: Column[] = [];
  for (const { from, to } of cells.toSorted((a, b) => a.from - b.from)) {
    const last = columns.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else columns.push({ from, to });
  }
  return columns;
}

const indexOf = (columns: readonly Column[], { from }: Cell): number =>
  columns.findIndex((column) => from >= column.from && from <= column.to);
