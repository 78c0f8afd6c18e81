/** Scripts written without spaces: taken two characters at a time, so that any part of a word can be found. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const LONGEST_TERM = 64;

/**
 * A text as the index and the query both see it: lower case, without diacritics, letters and digits only. The same terms
 * come out for the same text on every machine and in every locale.
 */
export function toTerms(text: string): readonly string[] {
  const folded = text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .normalize("NFC");
  const spaced = folded.replace(unspaced, (run) => ` ${toPairs(run)} `);
  return spaced
    .split(/[^\p{L}\p{N}]+/u)
    .filter((term) => term !== "")
    .map((term) => term.slice(0, LONGEST_TERM));
}

function toPairs(run: string): string {
  const characters = [...run];
  return characters.map((character, index) => character + (characters[index + 1] ?? "")).join(" ");
}
