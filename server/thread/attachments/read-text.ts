import { attachmentLimits } from "../../../protocol/attachment-limits.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { Detected } from "./detect.ts";

type TextFile = Extract<Detected, { readonly kind: "text" }>;

/** Gets a PDF or an HTML page as Markdown. */
export type ReadDocument = (file: TextFile) => Promise<string>;

/** The text of a file, at most so long. Refuses one that cannot be read, or holds no text. */
export async function readText(file: TextFile, name: string, readDocument: ReadDocument): Promise<string> {
  const text = file.read === "plain" ? file.text : await read(file, name, readDocument);
  const plain = text.replaceAll("\r\n", "\n").replaceAll("\0", "").trimEnd().toWellFormed();
  if (plain.trim() !== "") return shorten(plain);
  throw new ApiError(
    "unsupported",
    file.read === "pdf"
      ? `${name} holds no text: its pages may be scanned. Attach them as pictures, for a model that sees.`
      : `${name} holds no text.`,
  );
}

async function read(file: TextFile, name: string, readDocument: ReadDocument): Promise<string> {
  try {
    return await readDocument(file);
  } catch {
    // What went wrong in it tells people nothing that they could act on.
    throw new ApiError(
      "unsupported",
      `${name} could not be read: it is broken, locked, or too much to read. Attach its text instead.`,
    );
  }
}

function shorten(text: string): string {
  const most = attachmentLimits.textCharacters;
  if (text.length <= most) return text;
  return `${text.slice(0, most).toWellFormed()}\n\n[The rest of this file, ${text.length - most} characters, was left out.]`;
}
