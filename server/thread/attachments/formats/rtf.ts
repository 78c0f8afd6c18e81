import type { Row, Writer } from "./writer.ts";

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
export function readRtf(source: string, writer: Writer): void {
  const groups: Group[] = [
    { isSkipped: false, isFonts: false, isStyles: false, unicodeSkip: 1, charset: "windows-1252" },
  ];
  const fonts = new Map<number, string>();
  const headings = new Map<number, number>();
  let style = 0;
  let codePage = "windows-1252";
  let font = 0;
  let bytes: number[] = [];
  let text = "";
  let pending = 0;
  let level: number | null = null;
  let [isInTable, isStart] = [false, false];
  let row: string[] = [];
  let rows: Row[] = [];
  let cell: string[] = [];
  const group = (): Group => groups.at(-1) as Group;

  const flushBytes = (): void => {
    if (bytes.length === 0) return;
    const name = group().charset;
    text += new TextDecoder(name).decode(Uint8Array.from(bytes));
    bytes = [];
  };
  const write = (piece: string): void => {
    flushBytes();
    if (!group().isSkipped) text += piece;
  };
  const endTable = (): void => {
    if (rows.length > 0) writer.table(rows);
    rows = [];
  };
  const endParagraph = (): void => {
    flushBytes();
    const done = text;
    text = "";
    if (isInTable) cell.push(done);
    else {
      if (done.trim() !== "") endTable();
      const [, mark, item] = /^\s*(•|·|\d{1,3}[.)])\t(.*)$/s.exec(done) ?? [];
      if (item !== undefined) writer.item(0, mark === "•" || mark === "·" ? "-" : (mark ?? "-"), item);
      else if (level === null) writer.paragraph(done);
      else writer.heading(level, done);
    }
  };
  const words: Readonly<Record<string, (number: number | undefined) => void>> = {
    par: endParagraph,
    sect: endParagraph,
    pard: () => {
      level = null;
      isInTable = false;
    },
    intbl: () => void (isInTable = true),
    s: (number = 0) => {
      style = number;
      if (!group().isStyles) level = headings.get(number) ?? null;
    },
    outlinelevel: (number = 9) => {
      if (number >= 9) return;
      if (group().isStyles) headings.set(style, number + 1);
      else level = number + 1;
    },
    cell: () => {
      flushBytes();
      cell.push(text);
      row.push(cell.filter((one) => one.trim() !== "").join("\n"));
      [text, cell] = ["", []];
    },
    row: () => {
      if (row.length > 0) rows.push(row);
      [row, isInTable] = [[], false];
    },
    ansicpg: (number = 1252) => {
      codePage =
        toDecoder(`windows-${number}`) ?? (number === 932 ? "shift_jis" : number === 936 ? "gbk" : "windows-1252");
      group().charset = codePage;
    },
    uc: (number = 1) => void (group().unicodeSkip = Math.min(10, Math.max(0, number))),
    u: (number = 63) => {
      write(String.fromCharCode(number & 0xffff));
      pending = group().unicodeSkip;
    },
    f: (number = 0) => {
      flushBytes();
      font = number;
      group().charset = fonts.get(number) ?? codePage;
    },
    fcharset: (number = 0) => {
      const charset = charsets[number];
      if (group().isFonts && charset !== undefined && number !== 0) fonts.set(font, charset);
    },
    plain: () => {
      flushBytes();
      group().charset = codePage;
    },
  };

  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(source); match !== null; match = TOKEN.exec(source)) {
    const [, word, number, hex, symbol, brace, plain] = match;
    if (brace === "{") {
      flushBytes();
      if (groups.length > MOST_DEPTH) throw new Error("This document is nested too deeply.");
      groups.push({ ...group() });
      isStart = true;
      continue;
    }
    if (brace === "}") {
      flushBytes();
      if (groups.length > 1) groups.pop();
      pending = 0;
    } else if (word !== undefined) {
      const name = word.toLowerCase();
      if (name === "bin") TOKEN.lastIndex += Math.max(0, Number(number ?? 0));
      else if (name === "fonttbl") [group().isFonts, group().isSkipped] = [true, true];
      else if (name === "stylesheet") [group().isStyles, group().isSkipped] = [true, true];
      else if (isStart && skipped.has(name)) group().isSkipped = true;
      else if (pending > 0) pending -= 1;
      else if (symbols[name] !== undefined) write(symbols[name]);
      else if (!group().isSkipped || group().isFonts || group().isStyles)
        words[name]?.(number === undefined ? undefined : Number(number));
    } else if (hex !== undefined) {
      if (pending > 0) pending -= 1;
      else if (!group().isSkipped) bytes.push(Number.parseInt(hex, 16));
    } else if (symbol !== undefined) {
      if (symbol === "*") group().isSkipped = true;
      else if (symbol === "\n" || symbol === "\r") words["par"]?.(undefined);
      else write(symbols[symbol] ?? "");
    } else if (plain !== undefined && group().isStyles) {
      const heading = /^ ?heading (\d)/i.exec(plain)?.[1];
      if (heading !== undefined) headings.set(style, Number(heading));
    } else if (plain !== undefined) {
      const rest = plain.slice(pending);
      pending = Math.max(0, pending - plain.length);
      write(rest);
    }
    isStart = false;
  }
  endParagraph();
  endTable();
}

function toDecoder(name: string): string | undefined {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}
