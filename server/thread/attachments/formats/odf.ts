import type { Archive } from "./archive.ts";
import type { Attributes } from "./xml.ts";
import type { Row, Writer } from "./writer.ts";

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
export async function readOdf(archive: Archive, writer: Writer): Promise<void> {
  const numbered = await readListStyles(archive);
  const paragraphs: Paragraph[] = [];
  const tables: Table[] = [];
  const lists: { readonly isNumbered: boolean; count: number; isStart: boolean }[] = [];
  const notes: string[] = [];
  let [skipDepth, slides, isSheet, isNotes] = [0, 0, false, false];
  let frame = "";
  let annotation: string[] | null = null;

  /** A slide whose heading is not written yet: its title comes first or not at all. */
  let slide: { readonly name: string; title: string } | null = null;
  let frameClass = "";
  const startContent = (): void => {
    if (!slide) return;
    const title = slide.title === "" ? slide.name : slide.title;
    slide = null;
    writer.heading(2, `Slide ${slides}${title === "" ? "" : `: ${title}`}`);
  };
  let rows = 0;

  const write = (text: string): void => {
    const paragraph = paragraphs.at(-1);
    if (paragraph) paragraph.text += text;
  };
  const endParagraph = ({ text, level }: Paragraph): void => {
    const [outer, table, list] = [paragraphs.at(-1), tables.at(-1), lists.at(-1)];
    if (annotation) annotation.push(text);
    else if (frameClass === "title" && slide && !isNotes) {
      slide.title = `${slide.title} ${text}`.trim();
      return;
    } else if (/^(page-number|date-time|header|footer|page)$/.test(frameClass)) return;
    if (text.trim() !== "" && paragraphs.length === 0) startContent();
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
  };
  const countOf = (text: string | undefined, most: number): number =>
    Math.min(most, Math.max(1, Math.trunc(Number(text ?? "1")) || 1));

  const starts: Readonly<Record<string, (attributes: Attributes) => void>> = {
    spreadsheet: () => void (isSheet = true),
    page: ({ name = "" }) => {
      slides += 1;
      slide = { name: /^(page|slide) ?\d+$/i.test(name) ? "" : name, title: "" };
    },
    notes: () => void (isNotes = true),
    h: (attributes) => void paragraphs.push({ text: "", level: countOf(attributes["outline-level"], 6), link: null }),
    p: () => void paragraphs.push({ text: "", level: null, link: null }),
    s: ({ c }) => write(" ".repeat(countOf(c, 100))),
    tab: () => write("\t"),
    "line-break": () => write("\n"),
    a: ({ href = "" }) => {
      const paragraph = paragraphs.at(-1);
      if (paragraph && /^(https?|mailto):/i.test(href)) paragraph.link = { from: paragraph.text.length, url: href };
    },
    list: (attributes) => {
      const style = attributes["style-name"];
      const isNumbered = style === undefined ? (lists.at(-1)?.isNumbered ?? false) : (numbered.get(style) ?? false);
      lists.push({ isNumbered, count: 0, isStart: true });
    },
    "list-item": () => {
      const list = lists.at(-1);
      if (list) list.isStart = true;
    },
    frame: (attributes) => {
      frame = "";
      frameClass = attributes["presentation:class"] ?? "";
    },
    "note-citation": () => void paragraphs.push({ text: "", level: null, link: null }),
    "note-body": () => void paragraphs.push({ text: "", level: null, link: null }),
    annotation: () => void (annotation = []),
    table: ({ name = "", display }) => {
      if (isSheet && tables.length === 0) writer.heading(2, `Sheet: ${name}${display === "false" ? " (hidden)" : ""}`);
      if (tables.length === 0) rows = 0;
      startContent();
      tables.push({ rows: [], row: [], cell: [], repeat: 1, rowRepeat: 1, value: "" });
    },
    "table-row": (attributes) => {
      const table = tables.at(-1);
      if (!table) return;
      table.row = [];
      table.rowRepeat = countOf(attributes["number-rows-repeated"], 2_000_000);
    },
    "table-cell": (attributes) => startCell(tables.at(-1), attributes),
    "covered-table-cell": (attributes) => startCell(tables.at(-1), attributes),
  };
  const startCell = (table: Table | undefined, attributes: Attributes): void => {
    if (!table) return;
    table.cell = [];
    table.repeat = countOf(attributes["number-columns-repeated"], 16_384);
    table.value = toValue(attributes);
  };
  const endCell = (): void => {
    const table = tables.at(-1);
    if (!table) return;
    const shown = table.cell.filter((text) => text !== "").join("\n");
    const text = table.value === "" ? shown : table.value;
    // Repeated empty cells fill the rest of a sheet. Only those before another cell matter.
    for (let n = 0; n < table.repeat && table.row.length < 16_384; n += 1) table.row.push(text);
  };
  const endRow = (table: Table | undefined): void => {
    if (!table) return;
    const row = table.row.slice(0, table.row.findLastIndex((cell) => cell.trim() !== "") + 1);
    if (row.length === 0) return;
    const isStreamed = isSheet && tables.length === 1;
    for (let n = 0; n < (isStreamed ? table.rowRepeat : Math.min(table.rowRepeat, 1000)); n += 1) {
      rows += 1;
      if (isStreamed) writer.row(row);
      else table.rows.push(row);
    }
  };
  const endTable = (table: Table | undefined): void => {
    writer.endTable();
    if (isSheet && tables.length === 0 && rows === 0) writer.paragraph("(empty)");
    if (!table || table.rows.length === 0) return;
    const flat = table.rows.map((row) => row.join("; ")).join("\n");
    const outer = tables.at(-1);
    if (outer) outer.cell.push(flat);
    else if (paragraphs.length > 0) write(flat);
    else writer.table(table.rows);
  };
  const popParagraph = (): void => {
    const paragraph = paragraphs.pop();
    if (paragraph) endParagraph(paragraph);
  };
  const ends: Readonly<Record<string, () => void>> = {
    page: startContent,
    frame: () => void (frameClass = ""),
    notes: () => void (isNotes = false),
    h: popParagraph,
    p: popParagraph,
    a: () => {
      const paragraph = paragraphs.at(-1);
      if (!paragraph?.link) return;
      const { from, url } = paragraph.link;
      const text = paragraph.text.slice(from);
      paragraph.link = null;
      if (text !== "" && text !== url) paragraph.text = `${paragraph.text.slice(0, from)}[${text}](${url})`;
    },
    list: () => void lists.pop(),
    // The title or description of a frame that has one.
    desc: () => {
      if (frame.trim() !== "") write(`[Picture: ${frame.trim()}]`);
      frame = "";
    },
    "note-citation": () => {
      const citation = paragraphs.pop()?.text.trim() ?? "";
      notes.push(`[^${citation}]: `);
      write(`[^${citation}]`);
    },
    "note-body": () => void (notes[notes.length - 1] += paragraphs.pop()?.text.trim() ?? ""),
    annotation: () => {
      if (annotation) notes.push(`Comment: ${annotation.join("\n").trim()}`);
      annotation = null;
    },
    "table-cell": endCell,
    "covered-table-cell": endCell,
    "table-row": () => endRow(tables.at(-1)),
    table: () => endTable(tables.pop()),
  };
  const path: string[] = [];
  await archive.parse("content.xml", {
    open: (name, attributes) => {
      path.push(name);
      if (skipDepth > 0 || skipped.has(name)) skipDepth += 1;
      else starts[name]?.(attributes);
    },
    close: (name) => {
      path.pop();
      if (skipDepth > 0) skipDepth -= 1;
      else ends[name]?.();
    },
    text: (text) => {
      if (skipDepth > 0) return;
      const element = path.at(-1);
      if (element === "desc") frame += text;
      else if (element !== "creator" && element !== "date" && element !== "title")
        write(text.replaceAll(/[\n\r\t ]+/g, " "));
    },
  });
  for (const note of notes) writer.paragraph(note);
}

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
