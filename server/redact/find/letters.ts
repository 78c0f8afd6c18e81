/**
 * How often one letter follows another in English words and program identifiers: for each pair from "aa" to "zz" the
 * binary logarithm of its frequency relative to chance, plus five. Random text scores about 3.4, words about 6.
 */
const pairs =
  "25652352514757050767443241733371426427416316637002426142702750553183154651003164348442722533621553532030" +
  "53564442312657243776243531613376207205217216556002506242834660054664075452202271138031702444720635502140" +
  "55655450113558640566250303724172136323247414737030106224823471353563046451214172357330702631620255530061" +
  "85238021701353660252500120626664716143245302774310313455344231366855075565522171337135602632661746502140" +
  "00302200000600200043930020724583417044546304664320505153731660443265136753204161428226701422620665403152" +
  "55545351513657250777121212723290507012325202332001017133721670151662166220202063657414600341470147210441" +
  "6453635160355667157542423373208004700543630052402245";

/** Maximum text to score; more does not change the result. */
const weighedLength = 256;

/** Mean score of adjacent letter pairs; undefined for fewer than three pairs. */
export function measureWords(text: string): number | undefined {
  let sum = 0;
  let count = 0;
  let before = -1;
  for (let at = 0; at < text.length && at < weighedLength; at += 1) {
    const letter = (text.charCodeAt(at) | 32) - 97;
    const isLetter = letter >= 0 && letter < 26;
    if (isLetter && before >= 0) {
      sum += pairs.charCodeAt(before * 26 + letter) - 48;
      count += 1;
    }
    if (isLetter || isDigitAt(text, at)) before = isLetter ? letter : before;
    else before = -1;
  }
  return count < 3 ? undefined : sum / count;
}

export type Letters = {
  readonly length: number;
  readonly digits: number;
  readonly upper: number;
  readonly lower: number;
  /** Characters other than ASCII letters, digits and `-_.`. */
  readonly other: number;
  /** How often the kind of character changes. */
  readonly changes: number;
  readonly distinct: number;
};

/** Stores for each character the last count that saw it, so that nothing needs to be cleared between counts. */
const seenAt = new Float64Array(256);
let stamp = 0;

export function countLetters(text: string): Letters {
  const counts = [0, 0, 0, 0, 0];
  let distinct = 0;
  stamp += 1;
  let changes = 0;
  let last = -1;
  const length = Math.min(text.length, weighedLength);
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at);
    if (seenAt[code & 255] !== stamp) distinct += 1;
    seenAt[code & 255] = stamp;
    const kind = kindOf(code);
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (kind !== last && last !== -1) changes += 1;
    last = kind;
  }
  const [digits = 0, upper = 0, lower = 0, , other = 0] = counts;
  return { length, digits, upper, lower, other, changes, distinct };
}

function kindOf(code: number): number {
  if (code >= 48 && code <= 57) return 0;
  if (code >= 65 && code <= 90) return 1;
  if (code >= 97 && code <= 122) return 2;
  return code === 45 || code === 46 || code === 95 ? 3 : 4;
}

const isDigitAt = (text: string, at: number): boolean => kindOf(text.charCodeAt(at)) === 0;
