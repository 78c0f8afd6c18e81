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

export const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
export type ImageType = (typeof imageTypes)[number];
