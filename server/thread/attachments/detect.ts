/* oxlint-disable no-control-regex -- file types are detected by their first bytes */
import { attachmentLimits } from "../../../protocol/attachment-limits.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { DocumentKind } from "./formats/documents.ts";
import { readImage, type Image } from "./image-size.ts";

/** A file's type, detected from its content. `read` selects the text reader. */
export type FileType =
  | ({ readonly kind: "image" } & Image)
  /** A picture that no provider takes: it is converted. */
  | { readonly kind: "convert"; readonly read: "heic" | "tiff"; readonly mediaType: "image/heic" | "image/tiff" }
  | { readonly kind: "text"; readonly read: "pdf"; readonly mediaType: "application/pdf" }
  | { readonly kind: "text"; readonly read: DocumentKind; readonly mediaType: string }
  | { readonly kind: "text"; readonly read: "html" | "plain"; readonly mediaType: string; readonly text: string };

/** Throws an ApiError with a reason for files that cannot be attached. */
export function detect(bytes: Buffer, name: string): FileType {
  if (bytes.length === 0) throw new ApiError("invalid", `${name} is empty.`);
  const image = readImage(bytes);
  if (image === "broken")
    throw unsupported(`${name} looks like an image but cannot be read. Save it again as PNG or JPEG.`);
  if (image) return checkImage(image, bytes.length, name);
  if (bytes.subarray(0, 1024).includes("%PDF-")) return { kind: "text", read: "pdf", mediaType: "application/pdf" };
  const start = bytes.subarray(0, 300).toString("latin1");
  if (/^PK(\x03\x04|\x05\x06)/.test(start)) return toDocument("zip");
  if (/^[^]{4}ftyp(heic|heix|heim|heis|hevc|mif1|msf1)/.test(start))
    return { kind: "convert", read: "heic", mediaType: "image/heic" };
  if (/^(II\*\0|MM\0\*)/.test(start)) return { kind: "convert", read: "tiff", mediaType: "image/tiff" };
  if (start.startsWith("{\\rtf")) return toDocument("rtf");
  const text = decode(bytes);
  if (/\.eml$/i.test(name) && /^[\w-]{1,100}:/.test(start)) return toDocument("mail");
  // Signatures made of letters are not checked first: plain text may start with them.
  if (text === undefined) throw unsupported(explain(bytes, name));
  if (/\.ipynb$/i.test(name) && text.trimStart().startsWith("{")) return toDocument("notebook");
  const isHtml = /^\s*(<!--[^]{0,2000}?-->\s*)?(<!doctype html|<html|<head|<body)\b/i.test(text.slice(0, 4000));
  if (isHtml) return { kind: "text", read: "html", mediaType: "text/html", text };
  return { kind: "text", read: "plain", mediaType: toMediaType(name), text };
}

/** The reader of the format sets the media type. */
const toDocument = (read: DocumentKind): FileType => ({ kind: "text", read, mediaType: "" });

function explain(bytes: Buffer, name: string): string {
  if (bytes.subarray(0, 4).toString("latin1") === OLE && bytes.includes(ENCRYPTED))
    return `${name} is protected by a password. Remove the password and attach it again.`;
  const start = bytes.subarray(0, 300).toString("latin1");
  const known = binaries.find(({ magic }) => start.search(magic) === 0);
  if (known) return `${name} is ${known.what}, which cannot be read here. ${known.instead}`;
  return `${name} is not text, a document or a picture that can be read. ${OTHERWISE}`;
}

/** The container of DOC, XLS and PPT, and of encrypted new documents. */
const OLE = "\xd0\xcf\x11\xe0";
const ENCRYPTED = Buffer.from("EncryptedPackage", "utf16le");

const OTHERWISE = "Attach it as text, PDF, an Office document, or a picture.";

const unsupported = (message: string): ApiError => new ApiError("unsupported", message);

function checkImage(image: Image, sizeBytes: number, name: string): FileType {
  const { imageSide, imageBytes } = attachmentLimits;
  const { width, height } = image;
  if (width > imageSide || height > imageSide) {
    const most = imageSide.toLocaleString("en");
    const size = `${width.toLocaleString("en")} × ${height.toLocaleString("en")}`;
    throw new ApiError("too-large", `${name} is ${size} pixels. Each side may have at most ${most}. Make it smaller.`);
  }
  if (sizeBytes > imageBytes) {
    throw new ApiError(
      "too-large",
      `${name} is larger than ${imageBytes / 1e6} MB, the limit for images. Make it smaller.`,
    );
  }
  return { kind: "image", ...image };
}

const AS_PICTURE = "Save it as PNG or JPEG and attach that.";

const binaries: readonly { readonly magic: RegExp; readonly what: string; readonly instead: string }[] = [
  { magic: /\x1f\x8b|BZh|\xfd7zXZ|7z\xbc\xaf|Rar!|\x28\xb5\x2f\xfd/, what: "compressed", instead: "Unpack it first." },
  {
    magic: /\xd0\xcf\x11\xe0/,
    what: "an old Office document",
    instead: "Save it as DOCX, XLSX, PPTX or PDF and attach that.",
  },
  { magic: /[^]{4}ftypavi[fs]/, what: "an AVIF image", instead: AS_PICTURE },
  { magic: /BM[^]{4}\0\0\0\0/, what: "a BMP image", instead: AS_PICTURE },
  {
    magic: /[^]{4}ftyp|ID3|OggS|fLaC|RIFF[^]{4}(WAVE|AVI )|\x1aE\xdf\xa3/,
    what: "sound or video",
    instead: "Attach a transcript as text.",
  },
  {
    magic: /MZ|\x7fELF|\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe|\0asm/,
    what: "a program",
    instead: "Attach its source instead.",
  },
];

/** Decodes UTF-8, UTF-16 with a byte order mark, or Windows-1252. Undefined for binary data. */
function decode(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  if (CONTROLS.test(bytes.toString("latin1"))) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

const CONTROLS = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/;

const byEnding: Readonly<Record<string, string>> = {
  md: "text/markdown",
  markdown: "text/markdown",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  json: "application/json",
};

/** The name selects only among text types that no browser runs. */
const toMediaType = (name: string): string => byEnding[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ""] ?? "text/plain";
