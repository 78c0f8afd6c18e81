import { attachmentLimits } from "../../../protocol/attachments/limits.ts";
import { Refusal } from "../../../protocol/errors.ts";
import { createReader } from "../../tools/web/extract.ts";
import type { Detected } from "./detect.ts";
import { unpacksTooFar } from "./unpacks-too-far.ts";

type TextFile = Extract<Detected, { readonly kind: "text" }>;

/** A thread of its own, apart from the one that pages of the web are read in: neither waits for the other. */
const reader = createReader({ timeoutMs: 10_000 });

/** The text of a file, at most so long. Refuses one that cannot be read, or holds no text. */
export async function readText(file: TextFile, bytes: Buffer, name: string): Promise<string> {
  const text = file.read === "plain" ? file.text : await extract(file, bytes, name);
  const plain = text.replaceAll("\r\n", "\n").replaceAll("\0", "").trimEnd().toWellFormed();
  if (plain.trim() !== "") return shorten(plain);
  throw new Refusal(
    "unsupported",
    file.read === "pdf"
      ? `${name} holds no text: its pages may be scanned. Attach them as pictures, for a model that sees.`
      : `${name} holds no text.`,
  );
}

async function extract(file: TextFile, bytes: Buffer, name: string): Promise<string> {
  if (file.read === "pdf" && (await unpacksTooFar(bytes)))
    throw new Refusal("unsupported", `${name} unpacks to more than can be read. Attach its text instead.`);
  const text = file.read === "pdf" ? "" : "text" in file ? file.text : "";
  try {
    return (await reader.read({ body: Uint8Array.from(bytes), text, type: file.mediaType, url: "" })).markdown;
  } catch {
    // What went wrong in it tells people nothing that they could act on.
    throw new Refusal(
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
