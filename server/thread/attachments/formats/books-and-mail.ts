import PostalMime, { type Address } from "postal-mime";
import { resolveName, type Archive } from "./archive.ts";
import { writeHtml } from "./html.ts";
import { Unreadable } from "./unreadable.ts";
import type { MarkdownWriter } from "./writer.ts";

/** A book: its chapters in reading order. */
export async function readEpub(archive: Archive, writer: MarkdownWriter): Promise<void> {
  let book = "";
  await archive.parse("META-INF/container.xml", {
    open: (name, attributes) => {
      if (name === "rootfile" && book === "") book = attributes["full-path"] ?? "";
    },
  });
  const folder = book.slice(0, book.lastIndexOf("/") + 1);
  const files = new Map<string, string>();
  const order: string[] = [];
  let [title, isTitle] = ["", false];
  await archive.parse(book, {
    open: (name, { id = "", href = "", idref = "" }) => {
      if (name === "item") files.set(id, resolveName(folder, decodeName(href)));
      else if (name === "itemref") order.push(idref);
      else if (name === "title") isTitle = title === "";
    },
    close: (name) => {
      if (name === "title") isTitle = false;
    },
    text: (text) => {
      if (isTitle) title += text;
    },
  });
  if (archive.has("META-INF/encryption.xml") && (await archive.readText("META-INF/encryption.xml")).includes(".xhtml"))
    throw new Unreadable("The file is protected against copying. Attach its text instead.");
  writer.heading(1, title);
  for (const id of order) {
    const name = files.get(id) ?? "";
    if (archive.has(name)) writeHtml(await archive.readText(name), writer);
  }
}

function decodeName(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

/** Reads a file inside another file and returns its text, or a sentence that says why it cannot be read. */
export type ReadInner = (name: string, bytes: Buffer) => Promise<string>;

/** A mail: its most important headers, its text, and the files attached to it. */
export async function readMail(bytes: Buffer, writer: MarkdownWriter, readInner: ReadInner): Promise<void> {
  const mail = await PostalMime.parse(bytes, { maxNestingDepth: 20, maxHeadersSize: 1_000_000 });
  const lines = [
    ["From", toNames(mail.from ? [mail.from] : [])],
    ["To", toNames(mail.to ?? [])],
    ["Cc", toNames(mail.cc ?? [])],
    ["Date", mail.date ?? ""],
    ["Subject", mail.subject ?? ""],
  ];
  writer.paragraph(lines.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : [])).join("\n"));
  if (mail.text?.trim()) writer.paragraph(mail.text.replaceAll("\r\n", "\n"));
  else if (mail.html) writeHtml(mail.html, writer);
  for (const { filename, content, mimeType } of mail.attachments) {
    const name = filename ?? mimeType;
    const body = typeof content === "string" ? Buffer.from(content) : Buffer.from(content as ArrayBuffer);
    writer.heading(2, `Attached file: ${name}`);
    writer.paragraph(await readInner(name, body));
  }
}

const toNames = (addresses: readonly Address[]): string =>
  addresses
    .flatMap((one) => one.group ?? [one])
    .map(({ name, address }) => (name && address ? `${name} <${address}>` : (address ?? name ?? "")))
    .join(", ");

type Notebook = {
  readonly cells?: readonly NotebookCell[];
  readonly metadata?: { readonly language_info?: { readonly name?: unknown } };
};
type NotebookCell = {
  readonly cell_type?: string;
  readonly source?: unknown;
  readonly outputs?: readonly NotebookOutput[];
};
type NotebookOutput = {
  readonly text?: unknown;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly evalue?: unknown;
  readonly ename?: unknown;
};

/** A Jupyter notebook: its cells with their stored outputs. Nothing is run. */
export function readNotebook(source: string, writer: MarkdownWriter): void {
  const notebook = JSON.parse(source) as Notebook;
  if (!Array.isArray(notebook.cells)) throw new Unreadable("The file is not a notebook: it has no cells.");
  const name = notebook.metadata?.language_info?.name;
  const language = typeof name === "string" && /^[\w+#-]{1,20}$/.test(name) ? name : "python";
  for (const { cell_type: kind, source: content, outputs } of notebook.cells) {
    const text = joinLines(content);
    if (kind === "code") writer.code(text, language);
    else writer.paragraph(text);
    for (const output of Array.isArray(outputs) ? outputs : []) {
      const shown = joinLines(output.text) || joinLines(output.data?.["text/plain"]);
      const failure = typeof output.ename === "string" ? `${output.ename}: ${String(output.evalue)}` : "";
      const hasPicture = Object.keys(output.data ?? {}).some((type) => type.startsWith("image/"));
      writer.code(`${shown}${failure}${hasPicture ? "\n[Picture]" : ""}`, "output");
    }
  }
}

const joinLines = (lines: unknown): string =>
  Array.isArray(lines) ? lines.map(String).join("") : typeof lines === "string" ? lines : "";
