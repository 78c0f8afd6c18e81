import { nameFile } from "./formats/unreadable.ts";
import { attachmentLimits } from "../../../protocol/attachment-limits.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { DescribedFile, FileRequest, PagePicture } from "./describe-file.ts";
import { drawForModel, recognizePage } from "./pictures.ts";
import { cleanFileText } from "./read-text.ts";

/** The longer side in pixels. Providers scale larger pictures down. */
const PAGE_SIDE = 1568;
const PHOTO_SIDE = 2048;
/** Pages that are not finished in this time go without a picture or without recognized text. */
const PICTURES_MS = 15_000;
const OCR_MS = 60_000;
/** A page with less text than this is taken for a scan. */
const SCANNED_CHARACTERS = 16;

/**
 * The text of a PDF, page by page, with scanned pages read by OCR, and pictures of some pages: first the scanned ones, then
 * from the beginning.
 */
export async function readPages(
  { path, name }: FileRequest,
  texts: readonly string[],
  pageCount: number,
): Promise<{ readonly text: string; readonly pictures: readonly PagePicture[] }> {
  const scanned = texts.flatMap((text, index) => (text.trim().length < SCANNED_CHARACTERS ? [index + 1] : []));
  const all = texts.map((_, index) => index + 1);
  const wanted = [...new Set([...scanned, ...all])].slice(0, attachmentLimits.pagePictures).toSorted((a, b) => a - b);
  const pictures = await drawPages(path, wanted);
  const recognized = await recognizePages(path, scanned.slice(0, attachmentLimits.ocrPages));
  const pages = texts.map((text, index) => {
    const found = recognized.get(index + 1) ?? "";
    const note = found === "" ? "" : " (scanned, read by OCR)";
    const shown = found === "" ? text : found;
    return shown.trim() === "" ? `[Page ${index + 1}: no text]` : `[Page ${index + 1}${note}]\n\n${shown}`;
  });
  const hasText = recognized.size > 0 || scanned.length < texts.length;
  if (!hasText && pictures.length === 0)
    throw new ApiError(
      "unsupported",
      `${name} has no text. Its pages may be scanned: attach them as images and use a model that supports images.`,
    );
  const rest = pageCount - texts.length;
  if (rest > 0) pages.push(`[The last ${rest} pages of ${pageCount} were omitted.]`);
  return { text: cleanFileText(pages.join("\n\n")), pictures };
}

async function drawPages(path: string, wanted: readonly number[]): Promise<readonly PagePicture[]> {
  const pictures: PagePicture[] = [];
  const deadline = AbortSignal.timeout(PICTURES_MS);
  for (const page of wanted) {
    if (deadline.aborted) break;
    const drawn = await drawForModel({ path, format: "pdf", page, side: PAGE_SIDE });
    if (drawn.kind !== "picture") break;
    const { bytes, width, height } = drawn;
    pictures.push({ page, bytes, width, height });
  }
  return pictures;
}

async function recognizePages(path: string, scanned: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const texts = new Map<number, string>();
  const deadline = AbortSignal.timeout(OCR_MS);
  for (const page of scanned) {
    if (deadline.aborted) break;
    const found = await recognizePage(path, page);
    if (found.kind !== "text") break;
    if (found.text.trim() !== "") texts.set(page, found.text.trim());
  }
  return texts;
}

type Convertible = { readonly format: "heic" | "tiff"; readonly mediaType: string };

/** A photo in a format that no provider takes becomes a JPEG. The original stays. */
export async function convert({ path, name }: FileRequest, { format, mediaType }: Convertible): Promise<DescribedFile> {
  const drawn = await drawForModel({ path, format, page: 1, side: PHOTO_SIDE });
  if (drawn.kind === "picture") {
    const { bytes, width, height } = drawn;
    return {
      kind: "image",
      mediaType,
      text: "",
      width,
      height,
      pageCount: null,
      pictures: [{ page: 1, bytes, width, height }],
    };
  }
  const reason =
    drawn.kind === "refused"
      ? drawn.reason
      : "The file cannot be converted because an optional package is not installed. Save it as JPEG and attach that.";
  throw new ApiError("unsupported", nameFile(reason, name));
}
