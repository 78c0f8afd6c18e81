import { readRelations, type Archive } from "./archive.ts";
import type { Attributes, XmlHandler } from "./xml.ts";
import type { Row, MarkdownWriter } from "./writer.ts";

/** A presentation: the slides in order, each with title, text, tables, chart data and notes. */
export async function readPptx(archive: Archive, main: string, writer: MarkdownWriter): Promise<void> {
  const relations = await readRelations(archive, main);
  const slides: string[] = [];
  await archive.parse(main, {
    open: (name, attributes) => {
      // Both `id` and `r:id` exist; only the latter names a relationship.
      if (name === "sldId") slides.push(attributes["r:id"] ?? "");
    },
  });
  for (const [index, id] of slides.entries()) {
    const part = relations.get(id)?.target ?? "";
    const slide = await readShapes(archive, part);
    const title = slide.title === "" ? "" : `: ${slide.title}`;
    writer.heading(2, `Slide ${index + 1}${title}${slide.isHidden ? " (hidden)" : ""}`);
    for (const block of slide.blocks) writeBlock(writer, block);
    for (const { type, target } of (await readRelations(archive, part)).values()) {
      if (type === "chart") writer.table(await readChart(archive, target));
      else if (type === "diagramData")
        for (const block of (await readShapes(archive, target)).blocks) writeBlock(writer, block);
      else if (type === "notesSlide") {
        const notes = (await readShapes(archive, target)).blocks.flatMap((block) =>
          "text" in block ? [block.text] : [],
        );
        if (notes.length > 0) writer.paragraph(`Notes: ${notes.join("\n")}`);
      }
    }
  }
}

type Block = { readonly text: string; readonly depth: number } | { readonly rows: readonly Row[] };

function writeBlock(writer: MarkdownWriter, block: Block): void {
  if ("rows" in block) writer.table(block.rows);
  else writer.item(block.depth, "-", block.text);
}

type Shapes = { title: string; isHidden: boolean; blocks: Block[] };

/** Text of a slide's shapes. Placeholders for dates, numbers and footers are left out. */
async function readShapes(archive: Archive, part: string): Promise<Shapes> {
  const shapes: Shapes = { title: "", isHidden: false, blocks: [] };
  let kind = "";
  let paragraph = { text: "", depth: 0 };
  let isText = false;
  let rows: Row[] | null = null;
  let row: string[] = [];
  let cell: string[] = [];
  const starts: Readonly<Record<string, (attributes: Attributes) => void>> = {
    sld: ({ show }) => void (shapes.isHidden = show === "0"),
    sp: () => void (kind = ""),
    ph: ({ type = "body" }) => void (kind = type),
    cNvPr: ({ descr = "" }) => {
      if (descr !== "") shapes.blocks.push({ text: `[Picture: ${descr}]`, depth: 0 });
    },
    p: () => void (paragraph = { text: "", depth: 0 }),
    pPr: ({ lvl = "0" }) => void (paragraph.depth = Math.min(8, Number(lvl) || 0)),
    t: () => void (isText = true),
    br: () => void (paragraph.text += "\n"),
    tbl: () => void (rows = []),
    tr: () => void (row = []),
    tc: () => void (cell = []),
  };
  const ends: Readonly<Record<string, () => void>> = {
    t: () => void (isText = false),
    p: () => {
      const text = paragraph.text.trim();
      if (text === "" || /^(sldNum|dt|ftr|hdr|sldImg)$/.test(kind)) return;
      if (rows !== null) cell.push(text);
      else if (kind === "title" || kind === "ctrTitle") shapes.title = `${shapes.title} ${text}`.trim();
      else shapes.blocks.push({ text, depth: paragraph.depth });
    },
    sp: () => void (kind = ""),
    tc: () => void row.push(cell.join("\n")),
    tr: () => void rows?.push(row),
    tbl: () => {
      if (rows !== null) shapes.blocks.push({ rows });
      rows = null;
    },
  };
  await archive.parse(
    part,
    toHandler(starts, ends, (text) => isText && (paragraph.text += text)),
  );
  return shapes;
}

/** The values that were stored with a chart: one column of categories, and one for each series. */
async function readChart(archive: Archive, part: string): Promise<readonly Row[]> {
  const series: { name: string; categories: string[]; values: string[] }[] = [];
  let into: "name" | "categories" | "values" | null = null;
  let [at, isValue, value] = [0, false, ""];
  await archive.parse(
    part,
    toHandler(
      {
        ser: () => void series.push({ name: "", categories: [], values: [] }),
        tx: () => void (into = "name"),
        cat: () => void (into = "categories"),
        xVal: () => void (into = "categories"),
        val: () => void (into = "values"),
        yVal: () => void (into = "values"),
        pt: ({ idx = "0" }) => void (at = Math.min(10_000, Number(idx) || 0)),
        v: () => void ([isValue, value] = [true, ""]),
      },
      {
        v: () => {
          isValue = false;
          const one = series.at(-1);
          if (!one || into === null) return;
          if (into === "name") one.name = value;
          else one[into][at] = value;
        },
        tx: () => void (into = null),
        cat: () => void (into = null),
        xVal: () => void (into = null),
        val: () => void (into = null),
        yVal: () => void (into = null),
      },
      (text) => isValue && (value += text),
    ),
  );
  const categories = series[0]?.categories ?? [];
  const length = Math.max(0, ...series.map(({ values }) => values.length));
  if (length === 0) return [];
  const body = Array.from({ length }, (_, n) => [categories[n] ?? "", ...series.map(({ values }) => values[n] ?? "")]);
  return [["Chart", ...series.map(({ name }) => name)], ...body];
}

const toHandler = (
  starts: Readonly<Record<string, (attributes: Attributes) => void>>,
  ends: Readonly<Record<string, () => void>>,
  onText: (text: string) => unknown,
): XmlHandler => {
  let skipDepth = 0;
  return {
    open: (name, attributes) => {
      // The second form of a shape repeats its text.
      if (skipDepth > 0 || name === "Fallback") skipDepth += 1;
      else starts[name]?.(attributes);
    },
    close: (name) => {
      if (skipDepth > 0) skipDepth -= 1;
      else ends[name]?.();
    },
    text: (text) => {
      if (skipDepth === 0) onText(text);
    },
  };
};
