/** Scripts without spaces are split into pairs of characters, so that any part of a word can be found. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const LONGEST_TERM = 64;

const isOther = /[^\p{ASCII}]/u;

/**
 * The terms of a text, for both index and query: lower case, without diacritics, letters and digits only. Independent of machine
 * and locale.
 */
export function toTerms(text: string): readonly string[] {
  const terms = isOther.test(text) ? fold(text).match(/[\p{L}\p{N}]+/gu) : text.toLowerCase().match(/[a-z0-9]+/g);
  return terms?.map((term) => (term.length > LONGEST_TERM ? term.slice(0, LONGEST_TERM) : term)) ?? [];
}

function fold(text: string): string {
  const folded = text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .normalize("NFC");
  return folded.replace(unspaced, toPairs);
}

function toPairs(run: string): string {
  let pairs = " ";
  let before = "";
  for (const character of run) {
    if (before !== "") pairs += `${before}${character} `;
    before = character;
  }
  return `${pairs}${before} `;
}
