import { attachmentLimits } from "../../../../protocol/attachment-limits.ts";

/** Thrown when the text limit is reached, so that no reader continues for nothing. */
export class TextFull extends Error {
  override readonly name = "TextFull";
}

export type Row = readonly string[];

/** Collects a document as Markdown, up to the limit for text. */
export type MarkdownWriter = ReturnType<typeof createMarkdownWriter>;

export function createMarkdownWriter(most: number = attachmentLimits.textCharacters) {
  const pieces: string[] = [];
  let length = 0;
  /** Consecutive list items and table rows are separated by one line break, other blocks by an empty line. */
  let last: "block" | "item" | "row" = "block";
  let columns = 0;

  const add = (text: string, kind: typeof last): void => {
    const isJoined = kind !== "block" && kind === last;
    const piece = `${length === 0 ? "" : isJoined ? "\n" : "\n\n"}${text}`;
    pieces.push(piece);
    length += piece.length;
    last = kind;
    if (length > most) throw new TextFull();
  };
  const writer = {
    heading: (level: number, text: string): void => {
      const line = toLine(text);
      if (line !== "") add(`${"#".repeat(Math.min(6, Math.max(1, level)))} ${line}`, "block");
    },
    paragraph: (text: string): void => {
      const lines = text.split("\n").map((line) => line.trimEnd());
      const first = lines.findIndex((line) => line !== "");
      if (first >= 0) add(lines.slice(first).join("\n").trimEnd(), "block");
    },
    /** `mark` is `-` or a number with a period. */
    item: (depth: number, mark: string, text: string): void => {
      const indent = "  ".repeat(Math.min(8, depth));
      const lines = text.trim().replaceAll("\n", `\n${indent}  `);
      if (lines !== "") add(`${indent}${mark} ${lines}`, "item");
    },
    code: (text: string, language = ""): void => {
      const fence = text.includes("```") ? "~~~~" : "```";
      if (text.trim() !== "") add(`${fence}${language}\n${text.trimEnd()}\n${fence}`, "block");
    },
    /** One row of a table. The first row after another block is its header. */
    row: (cells: Row): void => {
      const isFirst = last !== "row";
      if (isFirst) columns = Math.max(1, cells.length);
      const line = toRow(cells, columns);
      add(isFirst ? `${line}\n|${" --- |".repeat(columns)}` : line, "row");
    },
    /** Ends a table, so that the next row starts another one. */
    endTable: (): void => {
      last = "block";
    },
    /** Trailing empty columns and empty rows are left out. */
    table: (rows: readonly Row[]): void => {
      const filled = rows.filter((cells) => cells.some((cell) => cell.trim() !== ""));
      const width = filled.reduce((most, cells) => Math.max(most, countFilled(cells)), 0);
      writer.endTable();
      for (const cells of filled) writer.row(Array.from({ length: width }, (_, n) => cells[n] ?? ""));
      writer.endTable();
    },
    text: (): string => pieces.join(""),
  };
  return writer;
}

const countFilled = (cells: Row): number => cells.findLastIndex((cell) => cell.trim() !== "") + 1;

const toLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

const toRow = (cells: Row, columns: number): string => {
  const padded = cells.length < columns ? [...cells, ...Array<string>(columns - cells.length).fill("")] : cells;
  return `| ${padded.map(toCell).join(" | ")} |`;
};

/** Cells have one line: their line breaks are written as `<br>`. */
const toCell = (text: string): string =>
  text
    .trim()
    .replaceAll("|", "\\|")
    .split("\n")
    .map((line) => line.trim())
    .join("<br>");
