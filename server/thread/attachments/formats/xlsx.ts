import { readRelations, type Archive } from "./archive.ts";
import type { Attributes } from "./xml.ts";
import type { MarkdownWriter } from "./writer.ts";

type Format = "date" | "time" | "moment" | "percent" | "plain";
type Sheet = { readonly name: string; readonly target: string; readonly isHidden: boolean };
type Workbook = { readonly strings: readonly string[]; readonly formats: readonly Format[]; readonly is1904: boolean };

/** A workbook: each sheet as a table of the values that were stored with it. Formulas and macros are never run. */
export async function readXlsx(archive: Archive, main: string, writer: MarkdownWriter): Promise<void> {
  const relations = await readRelations(archive, main);
  const targetOf = (type: string): string => [...relations.values()].find((one) => one.type === type)?.target ?? "";
  const sheets: Sheet[] = [];
  let is1904 = false;
  await archive.parse(main, {
    open: (element, { name = "", id = "", state, date1904 }) => {
      if (element === "workbookPr") is1904 = date1904 === "1" || date1904 === "true";
      if (element !== "sheet") return;
      const target = relations.get(id)?.target ?? "";
      sheets.push({ name, target, isHidden: state !== undefined && state !== "visible" });
    },
  });
  const workbook: Workbook = {
    strings: await readStrings(archive, targetOf("sharedStrings")),
    formats: await readFormats(archive, targetOf("styles")),
    is1904,
  };
  for (const { name, target, isHidden } of sheets) {
    writer.heading(2, `Sheet: ${name}${isHidden ? " (hidden)" : ""}`);
    const rows = await readSheet(archive, target, workbook, writer);
    if (rows === 0) writer.paragraph("(empty)");
    await readComments(archive, target, writer);
  }
}

async function readStrings(archive: Archive, part: string): Promise<readonly string[]> {
  const strings: string[] = [];
  let [text, isText, isPhonetic] = ["", false, false];
  await archive.parse(part, {
    open: (name) => {
      if (name === "si") text = "";
      else if (name === "rPh") isPhonetic = true;
      else if (name === "t") isText = !isPhonetic;
    },
    close: (name) => {
      if (name === "si") strings.push(unescape(text));
      else if (name === "rPh") isPhonetic = false;
      else if (name === "t") isText = false;
    },
    text: (part) => {
      if (isText) text += part;
    },
  });
  return strings;
}

/** Excel writes control characters as `_x000D_`. */
const unescape = (text: string): string =>
  text.includes("_x")
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

/** The format of each cell style, as far as it changes what a number means. */
async function readFormats(archive: Archive, part: string): Promise<readonly Format[]> {
  const custom = new Map<string, Format>();
  const formats: Format[] = [];
  let isInCells = false;
  await archive.parse(part, {
    open: (name, { numFmtId = "0", formatCode = "" }) => {
      if (name === "numFmt") custom.set(numFmtId, toFormat(formatCode));
      else if (name === "cellXfs") isInCells = true;
      else if (name === "xf" && isInCells) formats.push(custom.get(numFmtId) ?? toBuiltIn(Number(numFmtId)));
    },
    close: (name) => {
      if (name === "cellXfs") isInCells = false;
    },
  });
  return formats;
}

function toFormat(code: string): Format {
  const letters = code
    .slice(0, 300)
    .split(";", 1)
    .join("")
    .replaceAll(/"[^"]*"?|\\.|\[(?!h|m|s)[^\]]*\]?|_./gi, "")
    .toLowerCase();
  if (letters.includes("%")) return "percent";
  const [hasDay, hasTime] = [/[yd]|mmm/.test(letters), /[hs]/.test(letters)];
  if (letters.includes("general")) return "plain";
  if (hasDay) return hasTime ? "moment" : "date";
  return hasTime ? "time" : "plain";
}

const toBuiltIn = (id: number): Format => {
  if (id === 9 || id === 10) return "percent";
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || (id >= 50 && id <= 58)) return "date";
  if (id === 22) return "moment";
  return (id >= 18 && id <= 21) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47) ? "time" : "plain";
};

/** Writes each row as soon as it is complete, so that a huge sheet needs no memory. Returns the number of rows. */
async function readSheet(archive: Archive, part: string, workbook: Workbook, writer: MarkdownWriter): Promise<number> {
  let rows = 0;
  let first = 0;
  let row: string[] = [];
  let cell = { column: 0, type: "n", style: 0, value: "", formula: "" };
  let into: "value" | "formula" | "" = "";
  const starts: Readonly<Record<string, (attributes: Attributes) => void>> = {
    dimension: ({ ref = "" }) => void (first = toColumn(ref) ?? 0),
    row: () => void (row = []),
    c: ({ r = "", t = "n", s = "0" }) => {
      cell = { column: toColumn(r) ?? row.length + first, type: t, style: Number(s), value: "", formula: "" };
    },
    v: () => void (into = "value"),
    t: () => void (into = "value"),
    f: () => void (into = "formula"),
    rPh: () => void (into = ""),
  };
  const ends: Readonly<Record<string, () => void>> = {
    v: () => void (into = ""),
    t: () => void (into = ""),
    f: () => void (into = ""),
    c: () => {
      const text = toText(cell, workbook);
      if (text === "") return;
      first = Math.min(first, cell.column);
      const at = cell.column - first;
      while (row.length < at) row.push("");
      row[at] = text;
    },
    row: () => {
      if (row.length === 0) return;
      writer.row(row);
      rows += 1;
    },
  };
  writer.endTable();
  await archive.parse(part, {
    open: (name, attributes) => starts[name]?.(attributes),
    close: (name) => ends[name]?.(),
    text: (text) => {
      if (into !== "") cell[into] += text;
    },
  });
  writer.endTable();
  return rows;
}

const MOST_COLUMNS = 16_384;

/** Counted from 0; undefined without a reference. */
function toColumn(ref: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(ref)?.[0];
  if (letters === undefined) return undefined;
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  return Math.min(column, MOST_COLUMNS) - 1;
}

type Cell = { readonly type: string; readonly style: number; readonly value: string; readonly formula: string };

function toText({ type, style, value, formula }: Cell, { strings, formats, is1904 }: Workbook): string {
  if (value === "") return formula === "" || type === "str" ? "" : `(not calculated: =${formula})`;
  if (type === "s") return strings[Number(value)] ?? "";
  if (type === "b") return value === "1" ? "TRUE" : "FALSE";
  if (type !== "n") return unescape(value);
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  const format = formats[style] ?? "plain";
  if (format === "plain") return toNumber(number);
  if (format === "percent") return `${toNumber(number * 100)}%`;
  return toMoment(number, format, is1904) ?? toNumber(number);
}

/** Fifteen digits, as Excel itself calculates: 0.3, not 0.30000000000000004. */
const toNumber = (number: number): string => String(Number(number.toPrecision(15)));

const DAY_MS = 86_400_000;

function toMoment(days: number, format: "date" | "time" | "moment", is1904: boolean): string | undefined {
  // Excel counts a 29th of February 1900, which did not exist.
  const start = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  const ms = start + Math.round((days * DAY_MS) / 1000) * 1000;
  if (days < 0 || ms > Date.UTC(9999, 11, 31, 23, 59, 59)) return undefined;
  const [date = "", time = ""] = new Date(ms).toISOString().slice(0, 19).split("T");
  const shortTime = time.endsWith(":00") ? time.slice(0, 5) : time;
  if (format === "time" && days < 1) return shortTime;
  if (format === "date" && time === "00:00:00") return date;
  return `${date} ${shortTime}`;
}

async function readComments(archive: Archive, sheet: string, writer: MarkdownWriter): Promise<void> {
  for (const { type, target } of (await readRelations(archive, sheet)).values()) {
    if (type !== "comments") continue;
    let [ref, text, isText] = ["", "", false];
    await archive.parse(target, {
      open: (name, attributes) => {
        if (name === "comment") [ref, text] = [attributes["ref"] ?? "", ""];
        else if (name === "t") isText = true;
      },
      close: (name) => {
        if (name === "t") isText = false;
        else if (name === "comment") writer.paragraph(`Comment on ${ref}: ${text}`);
      },
      text: (part) => {
        if (isText) text += part;
      },
    });
  }
}
