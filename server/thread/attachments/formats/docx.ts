import { readRelations, type Archive } from "./archive.ts";
import type { Attributes } from "./xml.ts";
import { createMarkdownWriter, type Row, type MarkdownWriter } from "./writer.ts";

type Style = { readonly level: number | null; readonly numId: string | null };
type Paragraph = {
  text: string;
  level: number | null;
  numId: string | null;
  depth: number;
  /** Where the current link started in `text`, and its address. */
  link: { readonly from: number; readonly url: string } | null;
};
type Table = { rows: Row[]; row: string[]; cell: string[]; span: number; isContinued: boolean };

/** Deleted text, field codes, and the second form of shapes, which repeats their text. */
const skipped = new Set(["del", "moveFrom", "instrText", "delInstrText", "Fallback", "rPr", "sectPr"]);

/** A Word document: text, headings, lists, tables, links, notes and comments. Deleted text is left out. */
export async function readDocx(archive: Archive, main: string, writer: MarkdownWriter): Promise<void> {
  const relations = await readRelations(archive, main);
  const targetOf = (type: string): string =>
    [...relations.values()].find((relation) => relation.type === type && !relation.isExternal)?.target ?? "";
  const styles = await readStyles(archive, targetOf("styles"));
  const formats = await readNumbering(archive, targetOf("numbering"));
  const toUrl = (id: string): string => {
    const found = relations.get(id);
    return found?.isExternal && /^(https?|mailto):/i.test(found.target) ? found.target : "";
  };
  const read = (part: string, to: MarkdownWriter, perNote?: PerNote): Promise<void> =>
    archive.parse(part, createReader({ writer: to, styles, formats, toUrl, perNote }));
  const readApart = async (part: string, perNote?: PerNote): Promise<string> => {
    const apart = createMarkdownWriter();
    await read(part, apart, perNote);
    return apart.text();
  };

  const edges = [...relations.values()].filter(({ type }) => type === "header" || type === "footer");
  const seen = new Set<string>();
  for (const { target, type } of edges) {
    const text = await readApart(target);
    if (text !== "" && !seen.has(text)) writer.paragraph(`[${type === "header" ? "Header" : "Footer"}: ${text}]`);
    seen.add(text);
  }
  await read(main, writer);
  for (const type of ["footnotes", "endnotes"]) {
    const name = targetOf(type);
    if (name !== "")
      writer.paragraph(await readApart(name, { element: type.slice(0, -1), toLabel: ({ id }) => `[^${id}]: ` }));
  }
  const comments = targetOf("comments");
  if (comments === "") return;
  const toLabel = ({ author = "" }: Attributes): string => `Comment by ${author || "unknown"}: `;
  writer.paragraph(await readApart(comments, { element: "comment", toLabel }));
}

/** Notes and comments: each starts with a label. */
type PerNote = { readonly element: string; readonly toLabel: (attributes: Attributes) => string };
type ReaderOptions = {
  readonly writer: MarkdownWriter;
  readonly styles: ReadonlyMap<string, Style>;
  readonly formats: (numId: string, depth: number) => string;
  readonly toUrl: (id: string) => string;
  readonly perNote?: PerNote | undefined;
};

/** State of the reader at the current position of a part. */
type DocxReader = ReaderOptions & {
  readonly paragraphs: Paragraph[];
  readonly tables: Table[];
  /** Numbers of list items so far, by list. */
  readonly counters: Map<string, number[]>;
  isText: boolean;
  /** Label of a note or comment, written before its first text. */
  label: string;
};

function createReader(options: ReaderOptions) {
  const { perNote } = options;
  const reader: DocxReader = { ...options, paragraphs: [], tables: [], counters: new Map(), isText: false, label: "" };
  let skipDepth = 0;
  return {
    open: (name: string, attributes: Attributes) => {
      if (skipDepth > 0 || skipped.has(name)) skipDepth += 1;
      else {
        if (name === perNote?.element && attributes["type"] === undefined) reader.label = perNote.toLabel(attributes);
        opened[name]?.(reader, attributes);
      }
    },
    close: (name: string) => {
      if (skipDepth > 0) skipDepth -= 1;
      else closed[name]?.(reader);
    },
    text: (text: string) => {
      if (reader.isText && skipDepth === 0) write(reader, text);
    },
  };
}

function write({ paragraphs }: DocxReader, text: string): void {
  const paragraph = paragraphs.at(-1);
  if (paragraph) paragraph.text += text;
}

function toMark({ formats, counters }: DocxReader, numId: string, depth: number): string {
  if (formats(numId, depth) === "bullet") return "-";
  const counts = counters.get(numId) ?? [];
  counters.set(numId, counts);
  counts.length = depth + 1;
  counts[depth] = (counts[depth] ?? 0) + 1;
  return `${counts[depth]}.`;
}

function endParagraph(reader: DocxReader, { text: written, level, numId, depth }: Paragraph): void {
  const { writer, tables, paragraphs } = reader;
  const text = `${reader.label}${written}`;
  if (written.trim() !== "") reader.label = "";
  const table = tables.at(-1);
  const outer = paragraphs.at(-1);
  const isItem = numId !== null && numId !== "0" && text.trim() !== "";
  if (outer) outer.text += outer.text === "" ? text : `\n${text}`;
  else if (table) table.cell.push(isItem ? `${toMark(reader, numId, depth)} ${text}` : text);
  else if (level !== null) writer.heading(level, text);
  else if (isItem) writer.item(depth, toMark(reader, numId, depth), text);
  else writer.paragraph(text);
}

function endTable(reader: DocxReader, { rows }: Table): void {
  const { writer, tables, paragraphs } = reader;
  const outer = tables.at(-1);
  if (outer) outer.cell.push(rows.map((row) => row.join("; ")).join("\n"));
  else if (paragraphs.length > 0) write(reader, rows.map((row) => row.join("; ")).join("\n"));
  else writer.table(rows);
}

const opened: Readonly<Record<string, (reader: DocxReader, attributes: Attributes) => void>> = {
  p: ({ paragraphs }) => void paragraphs.push({ text: "", level: null, numId: null, depth: 0, link: null }),
  pStyle: ({ paragraphs, styles }, { val = "" }) => {
    const [paragraph, style] = [paragraphs.at(-1), styles.get(val)];
    if (!paragraph || !style) return;
    // The paragraph's own settings win, in whatever order they come.
    paragraph.level ??= style.level;
    paragraph.numId ??= style.numId;
  },
  outlineLvl: ({ paragraphs }, { val = "9" }) => {
    const paragraph = paragraphs.at(-1);
    if (paragraph && Number(val) < 9) paragraph.level = Number(val) + 1;
  },
  numId: ({ paragraphs }, { val = "0" }) => {
    const paragraph = paragraphs.at(-1);
    if (paragraph) paragraph.numId = val;
  },
  ilvl: ({ paragraphs }, { val = "0" }) => {
    const paragraph = paragraphs.at(-1);
    if (paragraph) paragraph.depth = toInteger(val, 0, 8);
  },
  t: (reader) => void (reader.isText = true),
  tab: (reader) => write(reader, "\t"),
  br: (reader) => write(reader, "\n"),
  cr: (reader) => write(reader, "\n"),
  noBreakHyphen: (reader) => write(reader, "-"),
  footnoteReference: (reader, { id = "" }) => write(reader, `[^${id}]`),
  endnoteReference: (reader, { id = "" }) => write(reader, `[^${id}]`),
  docPr: (reader, { descr = "" }) => write(reader, descr === "" ? "[Picture]" : `[Picture: ${descr}]`),
  hyperlink: ({ paragraphs, toUrl }, { id = "" }) => {
    const [paragraph, url] = [paragraphs.at(-1), toUrl(id)];
    if (paragraph && url !== "") paragraph.link = { from: paragraph.text.length, url };
  },
  tbl: ({ tables }) => void tables.push({ rows: [], row: [], cell: [], span: 1, isContinued: false }),
  tr: ({ tables }) => {
    const table = tables.at(-1);
    if (table) table.row = [];
  },
  tc: ({ tables }) => {
    const table = tables.at(-1);
    if (table) [table.cell, table.span, table.isContinued] = [[], 1, false];
  },
  gridSpan: ({ tables }, { val = "1" }) => {
    const table = tables.at(-1);
    if (table) table.span = toInteger(val, 1, 100);
  },
  vMerge: ({ tables }, { val = "continue" }) => {
    const table = tables.at(-1);
    if (table) table.isContinued = val === "continue";
  },
};

const closed: Readonly<Record<string, (reader: DocxReader) => void>> = {
  t: (reader) => void (reader.isText = false),
  p: (reader) => {
    const paragraph = reader.paragraphs.pop();
    if (paragraph) endParagraph(reader, paragraph);
  },
  hyperlink: ({ paragraphs }) => {
    const paragraph = paragraphs.at(-1);
    if (!paragraph?.link) return;
    const { from, url } = paragraph.link;
    const text = paragraph.text.slice(from);
    paragraph.link = null;
    if (text !== "" && text !== url) paragraph.text = `${paragraph.text.slice(0, from)}[${text}](${url})`;
  },
  tc: ({ tables }) => {
    const table = tables.at(-1);
    if (!table) return;
    table.row.push(table.isContinued ? "" : table.cell.filter((text) => text !== "").join("\n"));
    for (let n = 1; n < table.span; n += 1) table.row.push("");
  },
  tr: ({ tables }) => {
    const table = tables.at(-1);
    if (table) table.rows.push(table.row);
  },
  tbl: (reader) => {
    const table = reader.tables.pop();
    if (table) endTable(reader, table);
  },
};

/** Headings are styles whose name or outline level says so, also by the style they are based on. */
async function readStyles(archive: Archive, part: string): Promise<ReadonlyMap<string, Style>> {
  const styles = new Map<string, { level: number | null; numId: string | null; basedOn: string }>();
  let current = { level: null as number | null, numId: null as string | null, basedOn: "" };
  await archive.parse(part, {
    open: (name, { styleId = "", val = "" }) => {
      if (name === "style") {
        current = { level: null, numId: null, basedOn: "" };
        styles.set(styleId, current);
      } else if (name === "name") {
        const heading = /^heading (\d)$/i.exec(val)?.[1];
        current.level = heading === undefined ? (/^title$/i.test(val) ? 1 : current.level) : Number(heading);
      } else if (name === "outlineLvl" && Number(val) < 9) current.level ??= Number(val) + 1;
      else if (name === "basedOn") current.basedOn = val;
      else if (name === "numId") current.numId = val;
    },
  });
  const inherit = (id: string, read: "level" | "numId", depth = 0): string | number | null => {
    const style = styles.get(id);
    if (!style || depth > 10) return null;
    return style[read] ?? inherit(style.basedOn, read, depth + 1);
  };
  return new Map(
    [...styles.keys()].map((id) => [
      id,
      { level: inherit(id, "level") as number | null, numId: inherit(id, "numId") as string | null },
    ]),
  );
}

async function readNumbering(archive: Archive, part: string): Promise<(numId: string, depth: number) => string> {
  const levels = new Map<string, string[]>();
  const lists = new Map<string, string>();
  let [abstract, list, level] = ["", "", 0];
  await archive.parse(part, {
    open: (name, { abstractNumId = "", numId = "", ilvl = "0", val = "" }) => {
      if (name === "abstractNum") levels.set((abstract = abstractNumId), []);
      else if (name === "lvl") level = toInteger(ilvl, 0, 8);
      else if (name === "numFmt") (levels.get(abstract) ?? [])[level] = val;
      else if (name === "num") list = numId;
      else if (name === "abstractNumId") lists.set(list, val);
    },
  });
  return (numId, depth) => levels.get(lists.get(numId) ?? "")?.[depth] ?? "bullet";
}

const toInteger = (text: string, least: number, most: number): number =>
  Math.min(most, Math.max(least, Math.trunc(Number(text)) || least));
