/** Attachment limits. This file must not import zod, because the page bundles it. */
export const attachmentLimits = {
  fileBytes: 20_000_000,
  /** The smallest per-image limit of the supported providers. */
  imageBytes: 5_000_000,
  /** Per side, in pixels. */
  imageSide: 8_000,
  perMessage: 10,
  nameCharacters: 120,
  /** Limit on the text extracted from a file. Longer text is truncated, and the result says so. */
  textCharacters: 2_000_000,
  /** Pages of a PDF that are sent to models that see. */
  pagePictures: 6,
  /** Scanned pages that are read by OCR. */
  ocrPages: 10,
} as const;

/**
 * Prompt budget for attached files. A longer text is described by its structure; the model can read the rest by its
 * artifact number.
 */
const fileTokens = {
  perText: 6_000,
  /** Maximum tokens of all texts of one message together. */
  texts: 16_000,
  /** Maximum tokens per image, and pixels per token, as documented by Anthropic. Other providers are close. */
  perImage: 1_600,
  pixelsEach: 750,
} as const;

export const tokensPerText = (texts: number): number =>
  Math.min(fileTokens.perText, Math.floor(fileTokens.texts / Math.max(1, texts)));

export const tokensOfImage = (width: number, height: number): number =>
  Math.min(fileTokens.perImage, Math.ceil((width * height) / fileTokens.pixelsEach));

export const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
export type ImageType = (typeof imageTypes)[number];
