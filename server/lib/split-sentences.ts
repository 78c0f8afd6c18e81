/** One verbatim sentence and its position. */
type Sentence = { readonly text: string; readonly start: number };

const ends = /(?<![.!?…])[.!?…]+["'”’»)\]]*(?=\s)|[。！？؟।]+[」』”）]*|\n+/gu;
/** Markers of lists, headings and quotes, which are not part of the sentence. */
const marks = /^(?:[-*+•–>]|#{1,6}|\d{1,3}[.)])\s+/u;
const LONGEST = 400;

/** Splits text of any language by punctuation and lines. Longer pieces are cut at spaces, or by length if there are none. */
export function splitSentences(text: string, longest: number = LONGEST): readonly Sentence[] {
  const found: Sentence[] = [];
  let start = 0;
  const add = (end: number): void => {
    let [from, to] = [start, end];
    while (from < to && /\s/.test(text[from] ?? "")) from += 1;
    from += marks.exec(text.slice(from, to))?.[0].length ?? 0;
    while (to > from && /\s/.test(text[to - 1] ?? "")) to -= 1;
    for (; to - from > longest; from = cutAt(text, from, longest)) push(from, cutAt(text, from, longest));
    push(from, to);
    start = end;
  };
  const push = (from: number, to: number): void => {
    const sentence = text.slice(from, to).trim();
    if (/[\p{L}\p{N}]/u.test(sentence)) found.push({ text: sentence, start: from });
  };
  for (const match of text.matchAll(ends)) {
    const end = match.index + match[0].length;
    if (!isAbbreviation(text.slice(Math.max(start, end - LONGEST_ABBREVIATION), end))) add(end);
  }
  add(text.length);
  return found;
}

const LONGEST_ABBREVIATION = 10;

/** "No. 12", "e.g. this", "J. Smith": the dot does not end the sentence. */
const isAbbreviation = (said: string): boolean =>
  /(?:^|\s)(?:\p{L}|e\.g|i\.e|z\.B|d\.h|approx|bzw|ca|Dr|etc|Mrs?|Ms|No|Nr|Prof|Sr|St|vs)\.$/u.test(said);

function cutAt(text: string, from: number, longest: number): number {
  const space = text.slice(from, from + longest).lastIndexOf(" ");
  if (space > longest / 2) return from + space + 1;
  return outsideOfWord(text, from + longest, from + longest / 2);
}

/** The last position up to `at` that does not split a number, an id, an address or a character; `least` if there is none. */
function outsideOfWord(text: string, at: number, least: number): number {
  let end = at;
  while (end > least && /^[!-~\p{N}]{2}$/u.test(text.slice(end - 1, end + 1))) end -= 1;
  return /[\uD800-\uDBFF]/.test(text[end - 1] ?? "") ? end - 1 : end;
}

/** The beginning that fits, cut at a word boundary where possible, followed by an ellipsis. */
export function clipToTokens(text: string, tokens: number, count: (text: string) => number): string {
  const whole = count(text);
  if (whole <= tokens) return text;
  let length = Math.floor((text.length * tokens) / whole);
  for (let tries = 0; tries < 8 && length > 0; tries += 1) {
    const space = text.lastIndexOf(" ", length);
    const end = space > length / 2 ? space : outsideOfWord(text, length, 0);
    const cut = `${text
      .slice(0, end)
      .toWellFormed()
      .replace(/\uFFFD$/, "")
      .trimEnd()}…`;
    if (count(cut) <= tokens) return cut.length > 1 ? cut : "";
    length = Math.floor(length * 0.8);
  }
  return "";
}
