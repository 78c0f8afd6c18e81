import { attachmentLimits } from "../../../protocol/attachment-limits.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { Detected } from "./detect.ts";

type TextFile = Extract<Detected, { readonly kind: "text" }>;

/** Converts a PDF or an HTML page to Markdown. */
export type ReadDocument = (file: TextFile) => Promise<string>;

/** The text of a file, shortened to the limit. Throws when it cannot be read or has no text. */
export async function readText(file: TextFile, name: string, readDocument: ReadDocument): Promise<string> {
  const text = file.read === "plain" ? file.text : await read(file, name, readDocument);
  const plain = text.replaceAll("\r\n", "\n").replaceAll("\0", "").trimEnd().toWellFormed();
  if (plain.trim() !== "") return shorten(plain);
  throw new ApiError(
    "unsupported",
    file.read === "pdf"
      ? `${name} has no text. Its pages may be scanned: attach them as images and use a model that supports images.`
      : `${name} has no text.`,
  );
}

async function read(file: TextFile, name: string, readDocument: ReadDocument): Promise<string> {
  try {
    return await readDocument(file);
  } catch {
    // The parser's error would not help the user.
    throw new ApiError(
      "unsupported",
      `${name} could not be read: it is damaged, locked or too complex. Attach its text instead.`,
    );
  }
}

function shorten(text: string): string {
  const most = attachmentLimits.textCharacters;
  if (text.length <= most) return text;
  return `${text.slice(0, most).toWellFormed()}\n\n[The rest of this file, ${text.length - most} characters, was omitted.]`;
}
