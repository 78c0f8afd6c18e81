/**
 * Joins a continuation to interrupted text. Models drop the space between two words when a new message begins, so the model is
 * asked to start with the last words again; they are removed here.
 */
export type Join = {
  /** The part of this delta that follows the interrupted text; empty until that can be decided. */
  readonly take: (delta: string) => string;
  /** Text that is still buffered when the stream ends. */
  readonly rest: () => string;
};

const MAX_CHARACTERS = 60;

/** The last words of a text, starting at a word boundary. */
export function lastWordsOf(text: string): string {
  const end = text.trimEnd();
  if (end.length <= MAX_CHARACTERS) return end.trimStart();
  const tail = end.slice(-MAX_CHARACTERS);
  const space = tail.search(/\s/);
  return space === -1 ? tail : tail.slice(space).trimStart();
}

/** Suffixes of the last words that start at a word boundary, longest first: models often repeat only the last word or two. */
const endingsOf = (words: string): readonly string[] => [
  words,
  ...[...words.matchAll(/\s(?=\S)/g)]
    .map(({ index }) => words.slice(index + 1))
    .filter((one) => one.length >= MIN_REPEATED),
];
const MIN_REPEATED = 3;

export function createJoin(before: string): Join {
  const anchor = lastWordsOf(before);
  const endings = endingsOf(anchor);
  const endsInSpace = before !== before.trimEnd();
  let buffer = "";
  let isJoined = false;

  /** null: undecided, more text is needed. */
  const resolve = (isLast: boolean): string | null => {
    const streamed = buffer.trimStart();
    for (const ending of endings) {
      if (streamed.startsWith(ending)) {
        const rest = streamed.slice(ending.length);
        if (!endsInSpace) return rest;
        return rest.trimStart() === "" && !isLast ? null : rest.trimStart();
      }
      if (ending.startsWith(streamed) && !isLast) return null;
    }
    if (anchor.startsWith(streamed)) return "";
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

/** Whether a space is missing between two words of a script that separates words. */
const needsSpace = (before: string, after: string): boolean =>
  wordEnd.test(before.slice(-2)) && wordStart.test(after.slice(0, 2));
const wordEnd = /[\p{L}\p{N}.,;:!?)]$/u;
const wordStart = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u;
