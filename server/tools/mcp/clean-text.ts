/**
 * Removes characters that a model reads but a user cannot see: tag characters that spell hidden text, direction marks,
 * zero-width spaces and control characters. Keeps joiners, which scripts and emoji need.
 */
export const removeInvisible = (text: string): string => text.replaceAll(invisible, "");

const invisible =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
