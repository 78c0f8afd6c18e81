/** What may be attached. No schema library here, so the page can carry it. */
export const attachmentLimits = {
  fileBytes: 20_000_000,
  /** What providers take of one picture. */
  imageBytes: 5_000_000,
  /** Of each side, in pixels. */
  imageSide: 8_000,
  perMessage: 10,
  nameCharacters: 120,
  /** Of the text that is read from a file; the rest is left out, and that is said. */
  textCharacters: 2_000_000,
} as const;

/** What files take of a prompt. Beyond it a text's shape is told, and the whole is read by its number. */
export const fileTokens = {
  perText: 6_000,
  /** Of all texts of a message. */
  texts: 16_000,
  /** What a picture costs at the very most, and the pixels to a token, as Anthropic documents it; others are near it. */
  perImage: 1_600,
  pixelsEach: 750,
} as const;

export const tokensPerText = (texts: number): number =>
  Math.min(fileTokens.perText, Math.floor(fileTokens.texts / Math.max(1, texts)));

export const tokensOfImage = (width: number, height: number): number =>
  Math.min(fileTokens.perImage, Math.ceil((width * height) / fileTokens.pixelsEach));

export const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
export type ImageType = (typeof imageTypes)[number];
