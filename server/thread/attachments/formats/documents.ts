import { openArchive, type Archive, type Budget } from "./archive.ts";
import { readEpub, readMail, readNotebook, type ReadInner } from "./books-and-mail.ts";
import { readDocx } from "./docx.ts";
import { readOdf } from "./odf.ts";
import { readPptx } from "./pptx.ts";
import { readRtf } from "./rtf.ts";
import { Unreadable } from "./unreadable.ts";
import { createMarkdownWriter, TextFull, type MarkdownWriter } from "./writer.ts";
import { readXlsx } from "./xlsx.ts";

export type DocumentText = { readonly mediaType: string; readonly text: string; readonly isCut: boolean };

type Surroundings = { readonly budget: Budget; readonly isInner: boolean; readonly readInner: ReadInner };

export type DocumentKind = "zip" | "rtf" | "mail" | "notebook";

/** Formats that are ZIP archives. */
const office = "application/vnd.openxmlformats-officedocument.";
const mediaTypes = {
  docx: `${office}wordprocessingml.document`,
  xlsx: `${office}spreadsheetml.sheet`,
  pptx: `${office}presentationml.presentation`,
  epub: "application/epub+zip",
  zip: "application/zip",
} as const;

/** Rejects with `Unreadable` if the reason is known. Time and memory are unbounded, so it runs in a bounded process. */
export async function readDocument(
  kind: DocumentKind,
  bytes: Buffer,
  { budget, isInner, readInner }: Surroundings,
): Promise<DocumentText> {
  const writer = createMarkdownWriter();
  let mediaType = "";
  let isCut = false;
  try {
    if (kind === "zip") {
      const archive = await openArchive(bytes, budget);
      const found = await findFormat(archive);
      if (isInner && found.mediaType === mediaTypes.zip)
        throw new Unreadable("The file is an archive inside another file, which is not opened.");
      mediaType = found.mediaType;
      await found.read(writer, readInner);
    } else if (kind === "rtf") {
      mediaType = "application/rtf";
      readRtf(bytes.toString("latin1"), writer);
    } else if (kind === "mail") {
      mediaType = "message/rfc822";
      await readMail(bytes, writer, readInner);
    } else {
      mediaType = "application/x-ipynb+json";
      readNotebook(bytes.toString("utf8"), writer);
    }
  } catch (error) {
    if (!(error instanceof TextFull)) throw error;
    isCut = true;
  }
  return { mediaType, text: writer.text(), isCut };
}

type Format = {
  readonly mediaType: string;
  readonly read: (writer: MarkdownWriter, readInner: ReadInner) => Promise<void>;
};

async function findFormat(archive: Archive): Promise<Format> {
  const declared = archive.has("mimetype") ? (await archive.read("mimetype", 1000)).toString("latin1").trim() : "";
  if (declared === mediaTypes.epub) return { mediaType: declared, read: (writer) => readEpub(archive, writer) };
  if (/^application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)(-template)?$/.test(declared)) {
    const manifest = archive.has("META-INF/manifest.xml") ? await archive.readText("META-INF/manifest.xml") : "";
    if (manifest.includes("encryption-data")) throw new Unreadable(LOCKED);
    return { mediaType: declared, read: (writer) => readOdf(archive, writer) };
  }
  const main = await findMainPart(archive);
  if (main === undefined)
    return { mediaType: mediaTypes.zip, read: (writer, readInner) => readZip(archive, writer, readInner) };
  const types = await archive.readText("[Content_Types].xml");
  if (main.startsWith("word/") || types.includes("wordprocessingml"))
    return { mediaType: mediaTypes.docx, read: (writer) => readDocx(archive, main, writer) };
  if (main.endsWith(".bin")) throw new Unreadable("The file is a binary workbook. Save it as XLSX and attach that.");
  if (main.startsWith("xl/") || types.includes("spreadsheetml"))
    return { mediaType: mediaTypes.xlsx, read: (writer) => readXlsx(archive, main, writer) };
  if (main.startsWith("ppt/") || types.includes("presentationml"))
    return { mediaType: mediaTypes.pptx, read: (writer) => readPptx(archive, main, writer) };
  throw new Unreadable("The file is an Office document of an unknown kind. Save it as PDF and attach that.");
}

const LOCKED = "The file is protected by a password. Remove the password and attach it again.";

/** The main part of an Office document; undefined for other archives. */
async function findMainPart(archive: Archive): Promise<string | undefined> {
  if (!archive.has("[Content_Types].xml")) return undefined;
  let main: string | undefined;
  await archive.parse("_rels/.rels", {
    open: (name, { Type = "", Target = "" }) => {
      if (name === "Relationship" && Type.endsWith("/officeDocument")) main = Target.replace(/^\//, "");
    },
  });
  return main;
}

const MOST_FILES = 100;

/** Every file of an archive is named, with its text or the reason why it has none. */
async function readZip(archive: Archive, writer: MarkdownWriter, readInner: ReadInner): Promise<void> {
  const names = archive.names.filter((name) => !/(^|\/)(__MACOSX|\.DS_Store|Thumbs\.db)/.test(name));
  if (names.length === 0) throw new Unreadable("The file is an empty archive.");
  writer.paragraph(`This archive has ${names.length} ${names.length === 1 ? "file" : "files"}.`);
  archive.assertFits();
  const reasons: string[] = [];
  for (const name of names.slice(0, MOST_FILES)) {
    const bytes = await archive.read(name).catch((error: unknown) => {
      if (!(error instanceof Unreadable)) throw error;
      reasons.push(error.message);
      return error;
    });
    writer.heading(1, name);
    writer.paragraph(bytes instanceof Unreadable ? `[${bytes.message}]` : await readInner(name, bytes));
  }
  if (reasons.length === names.length) throw new Unreadable(reasons[0]);
  const rest = names.slice(MOST_FILES);
  if (rest.length > 0) writer.paragraph(`[${rest.length} more files were not read: ${rest.slice(0, 200).join(", ")}]`);
}
