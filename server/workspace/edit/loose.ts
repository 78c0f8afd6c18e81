/** How a line by a model differs from the file's: 0 equal, 1 trailing space, 2 indentation, 3 spaces, 4 characters. */
export type Level = 0 | 1 | 2 | 3 | 4;

const indent = /^[ \t]*/;
export const indentOf = (text: string): string => indent.exec(text)?.[0] ?? "";

const squeeze = (text: string): string => text.trim().replace(/\s+/g, " ");

/** Characters that models often write differently. */
const folded: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201A\u201B\u2032]/g, "'"],
  [/[\u201C\u201D\u201E\u201F\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, "-"],
  [/\u2026/g, "..."],
  [/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, " "],
  [/[\u200B\uFEFF]/g, ""],
];
const isOther = /\P{ASCII}/u;

/** A normal form that is equal for all lines that can match each other. */
export function toLoose(text: string): string {
  if (!isOther.test(text)) return squeeze(text);
  const signs = folded.reduce((folding, [sign, plain]) => folding.replace(sign, plain), text.normalize("NFC"));
  return squeeze(signs);
}

/** Compares two lines that have the same normal form. */
export function compareLines(line: string, wanted: string): Level {
  if (line === wanted) return 0;
  if (line.trimEnd() === wanted.trimEnd()) return 1;
  if (line.trim() === wanted.trim()) return 2;
  return squeeze(line) === squeeze(wanted) ? 3 : 4;
}
