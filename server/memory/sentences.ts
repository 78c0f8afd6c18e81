const ends = /(?<=[.!?…]["'”’)]{0,3})(?<!\s)\s+(?=[\p{Lu}\p{N}"“'(])|(?<=[。！？])|\n+/u;

/** By punctuation and lines; rough on purpose, and the same on every machine. */
export const toSentences = (text: string): readonly string[] =>
  text
    .replace(/```[\s\S]*?(?:```|$)/g, "\n")
    .split(ends)
    .map((sentence) =>
      sentence
        .replace(/^\s*(?:[-*+•>]|#{1,6}|\d{1,3}[.)])\s+/, "")
        .replace(/\s+/g, " ")
        .trim(),
    )
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));

export function shorten(text: string, most: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  const space = line.lastIndexOf(" ", most - 1);
  return `${line.slice(0, space > most / 2 ? space : most - 1).toWellFormed()}…`;
}

export const isQuestion = (sentence: string): boolean => /[?？][")”’]*$/.test(sentence);
