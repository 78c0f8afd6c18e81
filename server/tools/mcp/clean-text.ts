/**
 * Takes out what a reader cannot see and a model can: the tag characters that spell hidden text, marks that turn its direction,
 * zero-width spaces, and control characters. Joiners stay: scripts and emoji need them.
 */
export const cleanText = (text: string): string => text.replaceAll(unseen, "");

const unseen =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
