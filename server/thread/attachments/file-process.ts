import { readFileSync } from "node:fs";
import { attachmentLimits } from "../../../protocol/attachment-limits.ts";
import { ApiError } from "../../../protocol/errors.ts";
import { serveParent } from "../../lib/bounded-process-child.ts";
import { readPage, toMemory } from "../../tools/web/extract/read-page.ts";
import { readPdfPages } from "../../tools/web/extract/read-pdf.ts";
import type { FileContent, FileRequest, FileResponse } from "./describe-file.ts";
import { detect } from "./detect.ts";
import { createBudget, type Budget } from "./formats/archive.ts";
import { readDocument } from "./formats/documents.ts";
import { Unreadable } from "./formats/unreadable.ts";
import { readText, type ReadDocument } from "./read-text.ts";
import { toName } from "./to-name.ts";

serveParent<FileRequest, FileResponse>({ handle, maxBytes: ({ sizeBytes }) => toMemory(sizeBytes) });

async function handle({ path, name }: FileRequest): Promise<FileResponse> {
  try {
    return await readFile(readFileSync(path), name, { depth: 0, budget: createBudget() });
  } catch (error) {
    if (error instanceof ApiError) return { kind: "refused", code: error.code, message: error.message };
    throw error;
  }
}

type Nesting = { readonly depth: number; readonly budget: Budget };

async function readFile(bytes: Buffer, name: string, { depth, budget }: Nesting): Promise<FileContent> {
  const found = detect(bytes, name);
  if (found.kind === "image") return found;
  if (found.kind === "convert") return { kind: "convert", format: found.read, mediaType: found.mediaType };
  if (found.read === "pdf" && depth === 0) {
    const { text, pages, pageCount } = await readPdf(bytes, name);
    return { kind: "text", mediaType: found.mediaType, text, pages, pageCount };
  }
  const readOther: ReadDocument = async (file) => {
    if (file.read === "pdf" || file.read === "html" || file.read === "plain") {
      const text = "text" in file ? file.text : "";
      const source = { body: bytes, text, type: file.mediaType, url: "" };
      // One character more than the limit, so that longer text is detected.
      const page = await readPage(source, attachmentLimits.textCharacters + 1);
      return { text: page.markdown, mediaType: file.mediaType };
    }
    if (depth > MOST_DEPTH) throw new Unreadable("The file is inside too many others and is not opened.");
    const { text, mediaType, isCut } = await readDocument(file.read, bytes, {
      budget,
      isInner: depth > 0,
      readInner: (inner, content) => readInner(content, inner, { depth: depth + 1, budget }),
    });
    return { text: isCut ? `${text}\n\n[The rest of this file was omitted.]` : text, mediaType };
  };
  return { kind: "text", ...(await readText(found, name, readOther)) };
}

/** The text of each page, within the limit for all of them. */
async function readPdf(bytes: Buffer, name: string) {
  const { pages: texts, pageCount } = await readPdfPages(bytes).catch(() => {
    throw new ApiError(
      "unsupported",
      `${name} could not be read: it is damaged, locked or too complex. Attach its text instead.`,
    );
  });
  const pages: string[] = [];
  let left: number = attachmentLimits.textCharacters;
  for (const text of texts) {
    pages.push(text.slice(0, Math.max(0, left)));
    left -= text.length;
  }
  return { text: "", pages, pageCount };
}

/** A document of a mail in an archive is read. */
const MOST_DEPTH = 2;

/** The text of a file inside another file, or why there is none. */
async function readInner(bytes: Buffer, path: string, place: Nesting): Promise<string> {
  try {
    const content = await readFile(bytes, toName(path), place);
    return content.kind === "text" ? content.text : "[A picture, which is not included. Attach it separately.]";
  } catch (error) {
    if (error instanceof ApiError) return `[${error.message}]`;
    throw error;
  }
}
