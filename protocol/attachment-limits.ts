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

const fileTokens = {
  /** Maximum tokens of all texts of one message together. They get less in windows below about 200,000 tokens. */
  texts: 100_000,
  /** Minimum, for tiny windows. */
  leastTexts: 256,
  /** Assumed for models whose window is unknown, as for prompts. */
  window: 32_000,
  /** Tokens of a window that instructions and tools usually take. */
  instructions: 2_000,
  /** Maximum tokens per image, and pixels per token, as documented by Anthropic. Other providers are close. */
  perImage: 1_600,
  pixelsEach: 750,
} as const;

/** Tokens that the texts of one message may take: half of the model's window. The rest is for the conversation. */
export const tokensOfTexts = (windowTokens: number | null): number => {
  const half = Math.floor(((windowTokens ?? fileTokens.window) - fileTokens.instructions) / 2);
  return Math.min(fileTokens.texts, Math.max(fileTokens.leastTexts, half));
};

/**
 * Tokens for each text of one message, given their sizes. All are sent whole if they fit together; otherwise the longest ones get
 * equal limits. A shortened text is described by its structure; the model can read the rest by its artifact number.
 */
export function divideTokens(sizes: readonly number[], windowTokens: number | null): readonly number[] {
  let left = tokensOfTexts(windowTokens);
  const order = sizes.map((_, index) => index).toSorted((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0));
  const limits = sizes.map(() => 0);
  for (const [done, index] of order.entries()) {
    const limit = Math.min(sizes[index] ?? 0, Math.floor(left / (order.length - done)));
    limits[index] = limit;
    left -= limit;
  }
  return limits;
}

/** The share of a text that is sent. Used for the estimate and for the sent message, so that they agree. */
export const shareOfText = (limit: number, size: number): number =>
  limit >= size ? 1 : Math.min(0.99, limit / Math.max(1, size));

export const tokensOfImage = (width: number, height: number): number =>
  Math.min(fileTokens.perImage, Math.ceil((width * height) / fileTokens.pixelsEach));

export const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
export type ImageType = (typeof imageTypes)[number];
