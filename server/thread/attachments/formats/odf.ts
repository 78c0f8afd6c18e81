import type { Archive } from "./archive.ts";
import type { Attributes } from "./xml.ts";
import type { Row, MarkdownWriter } from "./writer.ts";

type Paragraph = { text: string; level: number | null; link: { readonly from: number; readonly url: string } | null };
type Table = { readonly rows: Row[]; row: string[]; cell: string[]; repeat: number; rowRepeat: number; value: string };

/** Deleted text, and elements that contain no text of the document. */
const skipped = new Set([
  "tracked-changes",
  "automatic-styles",
  "scripts",
  "forms",
  "sequence-decls",
  "annotation-end",
  "binary-data",
]);

/** OpenDocument text, spreadsheets and presentations, from the values stored in the document. */
export async function readOdf(archive: Archive, writer: MarkdownWriter): Promise<void> {
  const numbered = await readListStyles(archive);
  const reader: OdfReader = { ...newReader, writer, numbered, paragraphs: [], tables: [], lists: [], notes: [] };
  const path: string[] = [];
  let skipDepth = 0;
  await archive.parse("content.xml", {
    open: (name, attributes) => {
      path.push(name);
      if (skipDepth > 0 || skipped.has(name)) skipDepth += 1;
      else starts[name]?.(reader, attributes);
    },
    close: (name) => {
      path.pop();
      if (skipDepth > 0) skipDepth -= 1;
      else ends[name]?.(reader);
    },
    text: (text) => {
      if (skipDepth > 0) return;
      const element = path.at(-1);
      if (element === "desc") reader.frame += text;
      else if (element !== "creator" && element !== "date" && element !== "title")
        write(reader, text.replaceAll(/[\n\r\t ]+/g, " "));
    },
  });
  for (const note of reader.notes) writer.paragraph(note);
}

/** State of the reader at the current position of the document. */
type OdfReader = {
  readonly writer: MarkdownWriter;
  /** Which list styles are numbered. */
  readonly numbered: ReadonlyMap<string, boolean>;
  readonly paragraphs: Paragraph[];
  readonly tables: Table[];
  readonly lists: { readonly isNumbered: boolean; count: number; isStart: boolean }[];
  readonly notes: string[];
  slides: number;
  isSheet: boolean;
  isNotes: boolean;
  /** The title or description of a frame. */
  frame: string;
  frameClass: string;
  annotation: string[] | null;
  /** A slide whose heading is not written yet: its title comes first or not at all. */
  slide: { readonly name: string; title: string } | null;
  /** Rows of the current sheet. */
  rows: number;
};

const newReader = {
  ...{ slides: 0, isSheet: false, isNotes: false, rows: 0 },
  ...{ frame: "", frameClass: "", annotation: null, slide: null },
};

function startContent(reader: OdfReader): void {
  const { slide, slides, writer } = reader;
  if (!slide) return;
  const title = slide.title === "" ? slide.name : slide.title;
  reader.slide = null;
  writer.heading(2, `Slide ${slides}${title === "" ? "" : `: ${title}`}`);
}

function write({ paragraphs }: OdfReader, text: string): void {
  const paragraph = paragraphs.at(-1);
  if (paragraph) paragraph.text += text;
}

function endParagraph(reader: OdfReader, { text, level }: Paragraph): void {
  const { writer, paragraphs, lists, annotation, frameClass, slide, isNotes } = reader;
  const [outer, table, list] = [paragraphs.at(-1), reader.tables.at(-1), lists.at(-1)];
  if (annotation) annotation.push(text);
  else if (frameClass === "title" && slide && !isNotes) {
    slide.title = `${slide.title} ${text}`.trim();
    return;
  } else if (/^(page-number|date-time|header|footer|page)$/.test(frameClass)) return;
  if (text.trim() !== "" && paragraphs.length === 0) startContent(reader);
  if (annotation) return;
  if (outer) outer.text += outer.text === "" ? text : `\n${text}`;
  else if (table) table.cell.push(text);
  else if (isNotes) {
    if (text.trim() !== "") writer.paragraph(`Notes: ${text}`);
  } else if (level !== null) writer.heading(level, text);
  else if (list && text.trim() !== "") {
    if (list.isStart) list.count += 1;
    const mark = list.isNumbered ? `${list.count}.` : "-";
    writer.item(lists.length - 1, list.isStart ? mark : " ", text);
    list.isStart = false;
  } else writer.paragraph(text);
}

const countOf = (text: string | undefined, most: number): number =>
  Math.min(most, Math.max(1, Math.trunc(Number(text ?? "1")) || 1));

type Start = (reader: OdfReader, attributes: Attributes) => void;

const starts: Readonly<Record<string, Start>> = {
  spreadsheet: (reader) => void (reader.isSheet = true),
  page: (reader, { name = "" }) => {
    reader.slides += 1;
    reader.slide = { name: /^(page|slide) ?\d+$/i.test(name) ? "" : name, title: "" };
  },
  notes: (reader) => void (reader.isNotes = true),
  h: ({ paragraphs }, attributes) =>
    void paragraphs.push({ text: "", level: countOf(attributes["outline-level"], 6), link: null }),
  p: startParagraph,
  s: (reader, { c }) => write(reader, " ".repeat(countOf(c, 100))),
  tab: (reader) => write(reader, "\t"),
  "line-break": (reader) => write(reader, "\n"),
  a: ({ paragraphs }, { href = "" }) => {
    const paragraph = paragraphs.at(-1);
    if (paragraph && /^(https?|mailto):/i.test(href)) paragraph.link = { from: paragraph.text.length, url: href };
  },
  list: ({ lists, numbered }, attributes) => {
    const style = attributes["style-name"];
    const isNumbered = style === undefined ? (lists.at(-1)?.isNumbered ?? false) : (numbered.get(style) ?? false);
    lists.push({ isNumbered, count: 0, isStart: true });
  },
  "list-item": ({ lists }) => {
    const list = lists.at(-1);
    if (list) list.isStart = true;
  },
  frame: (reader, attributes) => {
    reader.frame = "";
    reader.frameClass = attributes["presentation:class"] ?? "";
  },
  "note-citation": startParagraph,
  "note-body": startParagraph,
  annotation: (reader) => void (reader.annotation = []),
  table: (reader, { name = "", display }) => {
    const { isSheet, tables, writer } = reader;
    if (isSheet && tables.length === 0) writer.heading(2, `Sheet: ${name}${display === "false" ? " (hidden)" : ""}`);
    if (tables.length === 0) reader.rows = 0;
    startContent(reader);
    tables.push({ rows: [], row: [], cell: [], repeat: 1, rowRepeat: 1, value: "" });
  },
  "table-row": ({ tables }, attributes) => {
    const table = tables.at(-1);
    if (!table) return;
    table.row = [];
    table.rowRepeat = countOf(attributes["number-rows-repeated"], 2_000_000);
  },
  "table-cell": startCell,
  "covered-table-cell": startCell,
};

function startParagraph({ paragraphs }: OdfReader): void {
  paragraphs.push({ text: "", level: null, link: null });
}

function startCell({ tables }: OdfReader, attributes: Attributes): void {
  const table = tables.at(-1);
  if (!table) return;
  table.cell = [];
  table.repeat = countOf(attributes["number-columns-repeated"], 16_384);
  table.value = toValue(attributes);
}

function endCell({ tables }: OdfReader): void {
  const table = tables.at(-1);
  if (!table) return;
  const shown = table.cell.filter((text) => text !== "").join("\n");
  const text = table.value === "" ? shown : table.value;
  // Repeated empty cells fill the rest of a sheet. Only those before another cell matter.
  for (let n = 0; n < table.repeat && table.row.length < 16_384; n += 1) table.row.push(text);
}

function endRow(reader: OdfReader): void {
  const { isSheet, tables, writer } = reader;
  const table = tables.at(-1);
  if (!table) return;
  const row = table.row.slice(0, table.row.findLastIndex((cell) => cell.trim() !== "") + 1);
  if (row.length === 0) return;
  const isStreamed = isSheet && tables.length === 1;
  for (let n = 0; n < (isStreamed ? table.rowRepeat : Math.min(table.rowRepeat, 1000)); n += 1) {
    reader.rows += 1;
    if (isStreamed) writer.row(row);
    else table.rows.push(row);
  }
}

function endTable(reader: OdfReader): void {
  const { isSheet, tables, writer } = reader;
  const table = tables.pop();
  writer.endTable();
  if (isSheet && tables.length === 0 && reader.rows === 0) writer.paragraph("(empty)");
  if (!table || table.rows.length === 0) return;
  const flat = table.rows.map((row) => row.join("; ")).join("\n");
  const outer = tables.at(-1);
  if (outer) outer.cell.push(flat);
  else if (reader.paragraphs.length > 0) write(reader, flat);
  else writer.table(table.rows);
}

function popParagraph(reader: OdfReader): void {
  const paragraph = reader.paragraphs.pop();
  if (paragraph) endParagraph(reader, paragraph);
}

const ends: Readonly<Record<string, (reader: OdfReader) => void>> = {
  page: startContent,
  frame: (reader) => void (reader.frameClass = ""),
  notes: (reader) => void (reader.isNotes = false),
  h: popParagraph,
  p: popParagraph,
  a: ({ paragraphs }) => {
    const paragraph = paragraphs.at(-1);
    if (!paragraph?.link) return;
    const { from, url } = paragraph.link;
    const text = paragraph.text.slice(from);
    paragraph.link = null;
    if (text !== "" && text !== url) paragraph.text = `${paragraph.text.slice(0, from)}[${text}](${url})`;
  },
  list: ({ lists }) => void lists.pop(),
  desc: (reader) => {
    const frame = reader.frame.trim();
    if (frame !== "") write(reader, `[Picture: ${frame}]`);
    reader.frame = "";
  },
  "note-citation": (reader) => {
    const citation = reader.paragraphs.pop()?.text.trim() ?? "";
    reader.notes.push(`[^${citation}]: `);
    write(reader, `[^${citation}]`);
  },
  "note-body": ({ notes, paragraphs }) => void (notes[notes.length - 1] += paragraphs.pop()?.text.trim() ?? ""),
  annotation: (reader) => {
    if (reader.annotation) reader.notes.push(`Comment: ${reader.annotation.join("\n").trim()}`);
    reader.annotation = null;
  },
  "table-cell": endCell,
  "covered-table-cell": endCell,
  "table-row": endRow,
  table: endTable,
};

/** Numbers and dates exactly as stored; other cells as shown. */
function toValue(attributes: Attributes): string {
  const type = attributes["value-type"];
  if (type === "float") return String(Number(Number(attributes["value"] ?? "").toPrecision(15)));
  if (type === "date") return (attributes["date-value"] ?? "").replace("T", " ").replace(/(\d\d:\d\d):00$/, "$1");
  return "";
}

/** Which list styles are numbered on their first level. */
async function readListStyles(archive: Archive): Promise<ReadonlyMap<string, boolean>> {
  const numbered = new Map<string, boolean>();
  let style = "";
  for (const part of ["styles.xml", "content.xml"]) {
    await archive.parse(part, {
      open: (name, attributes) => {
        if (name === "list-style") style = attributes["name"] ?? "";
        else if (name === "list-level-style-number" && attributes["level"] === "1")
          numbered.set(style, (attributes["num-format"] ?? "") !== "");
      },
    });
  }
  return numbered;
}
