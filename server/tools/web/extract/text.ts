/** Control characters, zero-width characters, bidirectional overrides and tag characters: they change what is read, not what is seen. */
// oxlint-disable-next-line no-control-regex
const unseen =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\u{e0000}-\u{e01ef}]/gu;

export const stripUnseen = (text: string): string => text.replace(unseen, "");

/** One line without unseen characters. */
export const cleanText = (text: string): string => stripUnseen(text).replace(/\s+/g, " ").trim();

const word = /[\p{L}\p{N}_]+/gu;
const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

/** Words, where two characters of a script that is written without spaces are one word. */
export function countWords(text: string): number {
  const words = text.match(word)?.length ?? 0;
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u02ff\u2000-\u206f]*$/.test(text)) return words;
  const ideographs = text.match(ideograph)?.length ?? 0;
  return Math.max(words, Math.round(ideographs / 2));
}
