import { attachmentLimits } from "../../../protocol/attachment-limits.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { FileType } from "./detect.ts";
import { nameFile, Unreadable } from "./formats/unreadable.ts";

type TextFile = Extract<FileType, { readonly kind: "text" }>;

/** Converts a document to Markdown. */
export type ReadDocument = (file: TextFile) => Promise<{ readonly text: string; readonly mediaType: string }>;

/** The text of a file, shortened to the limit. Throws when it cannot be read or has no text. */
export async function readText(
  file: TextFile,
  name: string,
  readDocument: ReadDocument,
): Promise<{ readonly text: string; readonly mediaType: string }> {
  const { text, mediaType } = file.read === "plain" ? file : await read(file, name, readDocument);
  const plain = cleanFileText(text);
  if (plain.trim() !== "") return { text: plain, mediaType };
  throw new ApiError("unsupported", `${name} has no text.`);
}

export const cleanFileText = (text: string): string =>
  shorten(text.replaceAll("\r\n", "\n").replaceAll("\0", "").trimEnd().toWellFormed());

async function read(file: TextFile, name: string, readDocument: ReadDocument): ReturnType<ReadDocument> {
  try {
    return await readDocument(file);
  } catch (error) {
    if (error instanceof Unreadable) throw new ApiError("unsupported", nameFile(error.message, name));
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
