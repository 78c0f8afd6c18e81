/** A document's text as blocks. The server writes headings and tables of documents as Markdown. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "table"; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: "text"; readonly text: string };

const isRow = (line: string): boolean => line.startsWith("|") && line.endsWith("|") && line.length > 2;
const RULE = /^\|( ?-{3,} ?\|)+$/;

export function readBlocks(text: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = text.split("\n");
  let plain: string[] = [];
  const endText = (): void => {
    const first = plain.findIndex((line) => line.trim() !== "");
    if (first >= 0) blocks.push({ kind: "text", text: plain.slice(first).join("\n").trimEnd() });
    plain = [];
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const [, marks, title] = /^(#{1,6}) (\S.*)$/.exec(line) ?? [];
    if (marks !== undefined && title !== undefined) {
      endText();
      blocks.push({ kind: "heading", level: marks.length, text: title });
    } else if (isRow(line) && RULE.test(lines[at + 1] ?? "")) {
      endText();
      const rows = [toCells(line)];
      for (at += 2; isRow(lines[at] ?? ""); at += 1) rows.push(toCells(lines[at] ?? ""));
      at -= 1;
      blocks.push({ kind: "table", rows });
    } else plain.push(line);
  }
  endText();
  return blocks;
}

/** The cells of a row; `\|` is a bar within a cell, and `<br>` a line break. */
function toCells(line: string): readonly string[] {
  const cells: string[] = [];
  let cell = "";
  for (let at = 1; at < line.length; at += 1) {
    const letter = line[at] ?? "";
    if (letter === "\\" && line[at + 1] === "|") {
      cell += "|";
      at += 1;
    } else if (letter === "|") {
      cells.push(cell.trim().replaceAll("<br>", "\n"));
      cell = "";
    } else cell += letter;
  }
  return cells;
}

/** Rows of comma, semicolon or tab separated values, with quoted cells. */
export function readSeparated(text: string, most: number): readonly (readonly string[])[] {
  const first = text.slice(0, text.indexOf("\n") + 1 || text.length);
  const separator = [",", ";", "\t"].toSorted((a, b) => first.split(b).length - first.split(a).length)[0] ?? ",";
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let at = 0; at < text.length && rows.length < most; at += 1) {
    const letter = text[at] ?? "";
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (letter === '"' && cell === "") isQuoted = true;
    else if (letter === separator) {
      row.push(cell);
      cell = "";
    } else if (letter === "\n") {
      rows.push([...row, cell]);
      [row, cell] = [[], ""];
    } else if (letter !== "\r") cell += letter;
  }
  if (rows.length < most && (cell !== "" || row.length > 0)) rows.push([...row, cell]);
  return rows;
}
