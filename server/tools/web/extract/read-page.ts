import { stripInvisible } from "./text.ts";
import { longestRun } from "./inline.ts";
import { unknownMetadata, type Page, type Source } from "./page.ts";
import { readHtml } from "./read-html.ts";
import { readPdf } from "./read-pdf.ts";

/** Extracts a body by its kind. Time and memory are unbounded, so the server calls it in a bounded process. */
export async function readPage(source: Source, most = MAX_CHARACTERS): Promise<Page> {
  const page = await readWhole(source);
  const leftOut = page.markdown.length - most;
  if (leftOut <= 0) return page;
  const start = page.markdown.slice(0, most).toWellFormed();
  return { ...page, markdown: `${start}\n\n[The rest of this document, ${leftOut} characters, was omitted.]` };
}

/** Limits the output, which the server redacts, counts and stores in its main thread. */
const MAX_CHARACTERS = 1_000_000;

const MEGABYTE = 1024 * 1024;
/** A small document may use 64 MB on top of the PDF library; the tree of an HTML page about 30 bytes per byte. */
const memory = { least: 88 * MEGABYTE, perByte: 30, most: 320 * MEGABYTE };

/** The memory limit for reading a document of this size. */
export const toMemory = (sizeBytes: number): number => Math.min(memory.most, memory.least + memory.perByte * sizeBytes);

async function readWhole(source: Source): Promise<Page> {
  const kind = toKind(source);
  if (kind === "pdf") return readPdf(source.body);
  if (kind === "html") return readHtml(source.text, source.url);
  const text = stripInvisible(source.text).replaceAll("\r\n", "\n").trim();
  return { ...unknownMetadata, markdown: kind === "json" ? toFence(text) : text, kind };
}

/** By the media type, or by the beginning of the body if the type is generic or HTML is sent as text. */
function toKind({ body, text, type }: Source): Page["kind"] {
  const media = type.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (media === "application/pdf" || startsAsPdf(body)) return "pdf";
  if (/^(text\/html|application\/xhtml\+xml)$/.test(media)) return "html";
  if (/[/+]json$|^application\/(x-)?ndjson$/.test(media)) return "json";
  const start = text.slice(0, 1000).trimStart();
  if (/^(<!doctype html|<html|<head|<body)\b/i.test(start)) return "html";
  const isUnknown = media === "" || media === "application/octet-stream";
  return isUnknown && /^[[{]/.test(start) && parses(text) ? "json" : "text";
}

const startsAsPdf = (body: Uint8Array): boolean => "%PDF-" === String.fromCharCode(...body.subarray(0, 5));

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Formats valid JSON and leaves invalid JSON unchanged. */
function toFence(text: string): string {
  const shown = parses(text) ? JSON.stringify(JSON.parse(text), null, 2) : text;
  const fence = "`".repeat(Math.max(3, longestRun(shown) + 1));
  return `${fence}json\n${shown}\n${fence}`;
}
