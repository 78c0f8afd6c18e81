/**
 * Joins a continuation to the text that was interrupted. Models drop the space between two words when a new message begins,
 * so the model is asked to begin with the last words again; they are taken off here. Pure but for what it has buffered.
 */
export type Join = {
  /** What of this delta follows the interrupted text; empty while that is not known yet. */
  readonly take: (delta: string) => string;
  /** What is still buffered when the stream ends. */
  readonly rest: () => string;
};

const MOST_CHARACTERS = 60;

/** The last words of a text, from the beginning of a word. */
export function lastWordsOf(text: string): string {
  const end = text.trimEnd();
  if (end.length <= MOST_CHARACTERS) return end.trimStart();
  const tail = end.slice(-MOST_CHARACTERS);
  const space = tail.search(/\s/);
  return space === -1 ? tail : tail.slice(space).trimStart();
}

/** Models often repeat only the last word or two: each ending of the last words that begins with a word, the longest first. */
const endingsOf = (words: string): readonly string[] => [
  words,
  ...[...words.matchAll(/\s(?=\S)/g)]
    .map(({ index }) => words.slice(index + 1))
    .filter((one) => one.length >= LEAST_REPEATED),
];
const LEAST_REPEATED = 3;

export function createJoin(before: string): Join {
  const anchor = lastWordsOf(before);
  const endings = endingsOf(anchor);
  const endsInSpace = before !== before.trimEnd();
  let buffer = "";
  let isJoined = false;

  /** null: not known yet. */
  const resolve = (isLast: boolean): string | null => {
    const said = buffer.trimStart();
    for (const ending of endings) {
      if (said.startsWith(ending)) {
        const rest = said.slice(ending.length);
        if (!endsInSpace) return rest;
        return rest.trimStart() === "" && !isLast ? null : rest.trimStart();
      }
      if (ending.startsWith(said) && !isLast) return null;
    }
    if (anchor.startsWith(said)) return "";
    return needsSpace(before, buffer) ? ` ${buffer}` : buffer;
  };

  return {
    take: (delta) => {
      if (isJoined) return delta;
      buffer += delta;
      const text = resolve(false);
      isJoined = text !== null;
      return text ?? "";
    },
    rest: () => (isJoined ? "" : (resolve(true) ?? "")),
  };
}

/** Between two words of a script that separates words. */
const needsSpace = (before: string, after: string): boolean =>
  wordEnd.test(before.slice(-2)) && wordStart.test(after.slice(0, 2));
const wordEnd = /[\p{L}\p{N}.,;:!?)]$/u;
const wordStart = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u;
