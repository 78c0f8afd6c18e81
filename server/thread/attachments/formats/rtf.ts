import type { Row, MarkdownWriter } from "./writer.ts";

/** Groups whose text is not part of the document. Groups that start with `\*` are skipped as well. */
const skipped = new Set(
  "colortbl info pict object themedata datastore listtable listoverridetable rsidtbl generator fldinst xe tc bkmkstart bkmkend latentstyles header footer headerl headerr footerl footerr headerf footerf nonshppict".split(
    " ",
  ),
);
const symbols: Readonly<Record<string, string>> = {
  tab: "\t",
  line: "\n",
  emdash: "—",
  endash: "–",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  bullet: "•",
  emspace: " ",
  enspace: " ",
  page: "\n",
  "~": "\u00a0",
  _: "-",
  "{": "{",
  "}": "}",
  "\\": "\\",
};
/** Windows code pages by the charset of a font. */
const charsets: Readonly<Record<number, string>> = {
  0: "windows-1252",
  128: "shift_jis",
  129: "euc-kr",
  134: "gbk",
  136: "big5",
  161: "windows-1253",
  162: "windows-1254",
  177: "windows-1255",
  178: "windows-1256",
  186: "windows-1257",
  204: "windows-1251",
  222: "windows-874",
  238: "windows-1250",
};

type Group = { isSkipped: boolean; isFonts: boolean; isStyles: boolean; unicodeSkip: number; charset: string };

/** One token: a control word with its number, a control symbol, a byte in hex, a brace, or text. */
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z'])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\/gi;
const MOST_DEPTH = 500;

/** A rich text document: its text, headings and tables. Pictures, objects and field codes are left out. */
export function readRtf(source: string, writer: MarkdownWriter): void {
  const reader = createReader(writer);
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(source); match !== null; match = TOKEN.exec(source)) {
    const [, word, number, hex, symbol, brace, plain] = match;
    if (brace === "{") {
      openGroup(reader);
      continue;
    }
    if (brace === "}") closeGroup(reader);
    else if (word?.toLowerCase() === "bin") TOKEN.lastIndex += Math.max(0, Number(number ?? 0));
    else if (word !== undefined)
      readWord(reader, word.toLowerCase(), number === undefined ? undefined : Number(number));
    else if (hex !== undefined) readByte(reader, Number.parseInt(hex, 16));
    else if (symbol !== undefined) readSymbol(reader, symbol);
    else if (plain !== undefined) readText(reader, plain);
    reader.isStart = false;
  }
  endParagraph(reader);
  endTable(reader);
}

/** State of the reader at the current position of the document. */
type RtfReader = {
  readonly writer: MarkdownWriter;
  readonly groups: Group[];
  readonly charsetOfFont: Map<number, string>;
  /** Levels of headings, by style. */
  readonly headings: Map<number, number>;
  style: number;
  codePage: string;
  font: number;
  /** Bytes of the current charset that are not decoded yet. */
  bytes: number[];
  text: string;
  /** Characters to skip: they repeat one that was given as Unicode. */
  pending: number;
  level: number | null;
  isInTable: boolean;
  /** At the beginning of a group. */
  isStart: boolean;
  row: string[];
  rows: Row[];
  cell: string[];
};

const createReader = (writer: MarkdownWriter): RtfReader => ({
  writer,
  groups: [{ isSkipped: false, isFonts: false, isStyles: false, unicodeSkip: 1, charset: "windows-1252" }],
  ...{ charsetOfFont: new Map(), headings: new Map(), style: 0, codePage: "windows-1252", font: 0 },
  ...{ bytes: [], text: "", pending: 0, level: null, isInTable: false, isStart: false, row: [], rows: [], cell: [] },
});

const groupOf = ({ groups }: RtfReader): Group => groups.at(-1) as Group;

function flushBytes(reader: RtfReader): void {
  if (reader.bytes.length === 0) return;
  reader.text += new TextDecoder(groupOf(reader).charset).decode(Uint8Array.from(reader.bytes));
  reader.bytes = [];
}

function write(reader: RtfReader, piece: string): void {
  flushBytes(reader);
  if (!groupOf(reader).isSkipped) reader.text += piece;
}

function openGroup(reader: RtfReader): void {
  flushBytes(reader);
  if (reader.groups.length > MOST_DEPTH) throw new Error("This document is nested too deeply.");
  reader.groups.push({ ...groupOf(reader) });
  reader.isStart = true;
}

function closeGroup(reader: RtfReader): void {
  flushBytes(reader);
  if (reader.groups.length > 1) reader.groups.pop();
  reader.pending = 0;
}

function readWord(reader: RtfReader, name: string, number: number | undefined): void {
  const group = groupOf(reader);
  if (name === "fonttbl") [group.isFonts, group.isSkipped] = [true, true];
  else if (name === "stylesheet") [group.isStyles, group.isSkipped] = [true, true];
  else if (reader.isStart && skipped.has(name)) group.isSkipped = true;
  else if (reader.pending > 0) reader.pending -= 1;
  else if (symbols[name] !== undefined) write(reader, symbols[name]);
  else if (!group.isSkipped || group.isFonts || group.isStyles) words[name]?.(reader, number);
}

function readByte(reader: RtfReader, byte: number): void {
  if (reader.pending > 0) reader.pending -= 1;
  else if (!groupOf(reader).isSkipped) reader.bytes.push(byte);
}

function readSymbol(reader: RtfReader, symbol: string): void {
  if (symbol === "*") groupOf(reader).isSkipped = true;
  else if (symbol === "\n" || symbol === "\r") endParagraph(reader);
  else write(reader, symbols[symbol] ?? "");
}

function readText(reader: RtfReader, plain: string): void {
  if (groupOf(reader).isStyles) {
    const heading = /^ ?heading (\d)/i.exec(plain)?.[1];
    if (heading !== undefined) reader.headings.set(reader.style, Number(heading));
    return;
  }
  const rest = plain.slice(reader.pending);
  reader.pending = Math.max(0, reader.pending - plain.length);
  write(reader, rest);
}

function endTable(reader: RtfReader): void {
  if (reader.rows.length > 0) reader.writer.table(reader.rows);
  reader.rows = [];
}

function endParagraph(reader: RtfReader): void {
  flushBytes(reader);
  const { writer, text, level } = reader;
  reader.text = "";
  if (reader.isInTable) {
    reader.cell.push(text);
    return;
  }
  if (text.trim() !== "") endTable(reader);
  const [, mark, item] = /^\s*(•|·|\d{1,3}[.)])\t(.*)$/s.exec(text) ?? [];
  if (item !== undefined) writer.item(0, mark === "•" || mark === "·" ? "-" : (mark ?? "-"), item);
  else if (level === null) writer.paragraph(text);
  else writer.heading(level, text);
}

/** Control words that change the text or its form. */
const words: Readonly<Record<string, (reader: RtfReader, number: number | undefined) => void>> = {
  par: endParagraph,
  sect: endParagraph,
  pard: (reader) => {
    reader.level = null;
    reader.isInTable = false;
  },
  intbl: (reader) => void (reader.isInTable = true),
  s: (reader, number = 0) => {
    reader.style = number;
    if (!groupOf(reader).isStyles) reader.level = reader.headings.get(number) ?? null;
  },
  outlinelevel: (reader, number = 9) => {
    if (number >= 9) return;
    if (groupOf(reader).isStyles) reader.headings.set(reader.style, number + 1);
    else reader.level = number + 1;
  },
  cell: (reader) => {
    flushBytes(reader);
    reader.cell.push(reader.text);
    reader.row.push(reader.cell.filter((one) => one.trim() !== "").join("\n"));
    [reader.text, reader.cell] = ["", []];
  },
  row: (reader) => {
    if (reader.row.length > 0) reader.rows.push(reader.row);
    [reader.row, reader.isInTable] = [[], false];
  },
  ansicpg: (reader, number = 1252) => {
    reader.codePage =
      toDecoder(`windows-${number}`) ?? (number === 932 ? "shift_jis" : number === 936 ? "gbk" : "windows-1252");
    groupOf(reader).charset = reader.codePage;
  },
  uc: (reader, number = 1) => void (groupOf(reader).unicodeSkip = Math.min(10, Math.max(0, number))),
  u: (reader, number = 63) => {
    write(reader, String.fromCharCode(number & 0xffff));
    reader.pending = groupOf(reader).unicodeSkip;
  },
  f: (reader, number = 0) => {
    flushBytes(reader);
    reader.font = number;
    groupOf(reader).charset = reader.charsetOfFont.get(number) ?? reader.codePage;
  },
  fcharset: (reader, number = 0) => {
    const charset = charsets[number];
    if (groupOf(reader).isFonts && charset !== undefined && number !== 0)
      reader.charsetOfFont.set(reader.font, charset);
  },
  plain: (reader) => {
    flushBytes(reader);
    groupOf(reader).charset = reader.codePage;
  },
};

function toDecoder(name: string): string | undefined {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}
