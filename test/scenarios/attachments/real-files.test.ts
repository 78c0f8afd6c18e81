import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { attach } from "../../support/attachments/attach.ts";
import { startInstance, type Instance } from "../../support/instance.ts";
import { query } from "../../support/server/database.ts";

/**
 * Files that other programs made from `test/files/contents.json`: LibreOffice, pandoc, Python libraries, ImageMagick, libheif
 * and img2pdf. The stored text of each is compared with that content. `test/files/make_files.py` says how they were made.
 */
const folder = join(import.meta.dirname, "../../files");
const made = join(folder, "made");

type Table = readonly (readonly string[])[];
type Block = { heading?: number; text?: string; items?: string[]; numbered?: string[]; table?: Table };
type Value = string | number | boolean | null | { date?: string; percent?: number; value?: number };
type Sheet = readonly (readonly Value[])[] | { rows: number; columns: readonly string[] };
type Slide = { title: string; items?: string[]; table?: Table; notes?: string };
const contents = JSON.parse(readFileSync(join(folder, "contents.json"), "utf8")) as {
  documents: Record<string, Block[]>;
  workbooks: Record<string, Record<string, Sheet>>;
  decks: Record<string, Slide[]>;
  scan: string;
};
const names = readdirSync(made);
const filesOf = (name: string, endings: RegExp) =>
  names.filter((file) => file.startsWith(`${name}.`) && endings.test(file));

/** Uploads files one by one and returns the text that was stored of each. */
async function readFiles(instance: Instance, files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const name of files) {
    const { id } = await attach(instance.url, { name, bytes: readFileSync(join(made, name)) });
    const [row] = await query({ dataDir: instance.dataDir }, `select text from attachments where id = '${id}'`);
    texts.set(name, (row as { text: string }).text);
    await instance.client.removeAttachment({ params: { attachmentId: id } });
  }
  return texts;
}

/** Every table in a text, cell by cell. */
const tablesOf = (text: string): readonly Table[] =>
  (text.match(/(^\|.*\|$\n?)+/gm) ?? []).map((block) =>
    block
      .trim()
      .split("\n")
      .filter((line) => !/^\|( --- \|)+$/.test(line))
      .map((line) =>
        line
          .slice(2, -2)
          .split(/ \| |^\| | \|$/)
          .map((cell) => cell.replaceAll("\\|", "|").trim()),
      ),
  );
/** Whitespace, and marks that a format may add, do not count. */
const plain = (text: string): string => text.replaceAll(/[\s\\*]+/g, "").normalize("NFC");
/** The machine that made the PDFs had no fonts for these scripts, so that PDFs contain placeholders. */
const isDrawn = (text: string): boolean => !/[\p{Script=Arabic}\p{Script=Han}]/u.test(text);
const expectInOrder = (text: string, pieces: readonly string[], name: string): void => {
  let at = 0;
  for (const piece of pieces) {
    const found = plain(text).indexOf(plain(piece), at);
    expect(found, `${name} has no “${piece}” after character ${at}:\n${text}`).toBeGreaterThanOrEqual(0);
    at = found + plain(piece).length;
  }
};

test("text, lists and tables of documents are read as written", async () => {
  const instance = await startInstance();
  let count = 0;
  for (const [name, blocks] of Object.entries(contents.documents)) {
    const pieces = blocks.flatMap(({ text, items, numbered, table }) => [
      ...(text === undefined ? [] : [text]),
      ...(items ?? numbered ?? []),
      ...(table?.flat().filter((cell) => cell !== "" && !cell.includes("|")) ?? []),
    ]);
    for (const [file, text] of await readFiles(instance, filesOf(name, /\.(docx|odt|rtf|epub|ipynb|pdf)$/))) {
      expectInOrder(text, file.endsWith(".pdf") ? pieces.filter(isDrawn) : pieces, file);
      // A notebook's text is the Markdown that its author wrote.
      const tables = file.endsWith(".ipynb") ? [] : blocks.flatMap(({ table }) => (table ? [table] : []));
      expect(file.endsWith(".ipynb") ? [] : tablesOf(text), file).toEqual(tables);
      const headings = blocks.flatMap(({ heading, text: title = "" }) =>
        heading === undefined ? [] : [[heading, title]],
      );
      for (const [level, title] of file.endsWith(".pdf") ? [] : headings)
        expect(text, file).toMatch(
          new RegExp(`^#{1,${Number(level) + 1}} ${String(title).replaceAll(/[§().]/g, "\\$&")}$`, "m"),
        );
      count += 1;
    }
  }
  expect(count).toBe(50);
}, 240_000);

test("sheets are read with their stored values, dates and percentages", async () => {
  const instance = await startInstance();
  const toText = (value: Value): string => {
    if (value === null) return "";
    if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
    if (typeof value !== "object") return String(value);
    return value.date ?? (value.percent === undefined ? String(value.value) : `${Math.round(value.percent * 100)}%`);
  };
  let count = 0;
  for (const [name, sheets] of Object.entries(contents.workbooks)) {
    const expected = Object.values(sheets).flatMap((sheet) => {
      const rows = Array.isArray(sheet)
        ? (sheet as Value[][])
        : toNumbers(sheet as { rows: number; columns: string[] });
      const filled = rows.map((row) => row.map(toText)).filter((row) => row.some((cell) => cell !== ""));
      return filled.length === 0 ? [] : [filled];
    });
    const width = (table: Table): Table => {
      const most = Math.max(...table.map((row) => row.length));
      return table.map((row) => Array.from({ length: most }, (_, n) => row[n] ?? ""));
    };
    for (const [file, text] of await readFiles(instance, filesOf(name, /\.(xlsx|ods)$/))) {
      const found = tablesOf(text).map(width);
      const wanted = expected.map(width).map((table) =>
        table.map((row) =>
          row.map((cell) => {
            // A library that does not calculate stores no value; LibreOffice stores booleans in ODS as numbers.
            if (file.endsWith("python.xlsx") && cell === "1287.25") return "(not calculated: =SUM(C2:C4))";
            if (file.endsWith(".ods")) return cell === "TRUE" ? "1" : cell === "FALSE" ? "0" : cell;
            return cell;
          }),
        ),
      );
      expect(found, file).toEqual(wanted);
      for (const title of Object.keys(sheets)) expect(text, file).toContain(`## Sheet: ${title}`);
      count += 1;
    }
  }
  expect(count).toBe(12);
}, 120_000);

const toNumbers = ({ rows, columns }: { rows: number; columns: readonly string[] }): Value[][] => [
  [...columns],
  ...Array.from({ length: rows }, (_, n) => [n + 1, (n + 1) ** 2, `word ${n + 1}`]),
];

test("slides are read in order with titles, tables and notes", async () => {
  const instance = await startInstance();
  let count = 0;
  for (const [name, slides] of Object.entries(contents.decks)) {
    for (const [file, text] of await readFiles(instance, filesOf(name, /\.(pptx|odp|pdf)$/))) {
      const isPdf = file.endsWith(".pdf");
      const pieces = slides.flatMap(({ title, items, table, notes }, index) => [
        isPdf ? title : `## Slide ${index + 1}: ${title}`,
        ...(items ?? table?.flat() ?? []),
        ...(notes && !isPdf ? [`Notes: ${notes}`] : []),
      ]);
      expectInOrder(
        text,
        isPdf ? pieces.filter((piece) => isDrawn(piece) && !/\p{Script=Hiragana}/u.test(piece)) : pieces,
        file,
      );
      expect(tablesOf(text), file).toEqual(slides.flatMap(({ table }) => (table ? [table] : [])));
      count += 1;
    }
  }
  expect(count).toBe(8);
}, 120_000);

test("mail, archives, scans and photos are read", async () => {
  const instance = await startInstance();
  const texts = await readFiles(instance, [
    "plain.python.eml",
    "html.python.eml",
    "files.zip",
    "scan.img2pdf.pdf",
    "scan.rotated.pdf",
  ]);
  const subject = "Subject: Grüße aus Tromsø – 4711";
  expectInOrder(
    texts.get("plain.python.eml") ?? "",
    [
      "From: Ana Ruiz <ana@example.org>",
      subject,
      "The crane costs 15,000 €.",
      "recipe.docx",
      "Rye bread",
      "table.csv",
      "a;b",
    ],
    "plain mail",
  );
  expectInOrder(
    texts.get("html.python.eml") ?? "",
    [subject, "The crane costs 15,000 €.", "- Old", "- Yellow"],
    "HTML mail",
  );
  const archive = texts.get("files.zip") ?? "";
  expectInOrder(
    archive,
    [
      "4 files",
      "recipe.python.docx",
      "Rye bread",
      "sales.csv",
      "Møller",
      "dates.lo.ods",
      "Survey",
      "photo.png",
      "[A picture, which is not included.",
    ],
    "archive",
  );
  for (const file of ["scan.img2pdf.pdf", "scan.rotated.pdf"]) {
    expect(texts.get(file), file).toContain("[Page 1 (scanned, read by OCR)]");
    expectInOrder(texts.get(file) ?? "", [contents.scan], file);
  }
  for (const name of names.filter((file) => /\.(heic|tiff)$/.test(file))) {
    const photo = await attach(instance.url, { name, bytes: readFileSync(join(made, name)) });
    expect(photo, name).toMatchObject({
      kind: "image",
      ...(name.startsWith("photo") ? { width: 320, height: 200 } : {}),
    });
    const picture = await fetch(`${instance.url}/api/attachments/${photo.id}/pages/1`);
    expect(picture.headers.get("content-type")).toBe("image/jpeg");
    expect([...new Uint8Array(await picture.arrayBuffer()).subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
    const original = await fetch(`${instance.url}/api/attachments/${photo.id}/file`);
    expect(original.headers.get("content-disposition")).toMatch(/^attachment; /);
    expect(Buffer.from(await original.arrayBuffer()).equals(readFileSync(join(made, name)))).toBe(true);
  }
}, 240_000);
