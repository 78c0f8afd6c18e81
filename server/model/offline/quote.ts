const quoteCharacters = 600;

export const asQuote = (text: string): string =>
  text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");

/** With the number it is cited by, where it has one. */
export const cite = (text: string, ref: number | undefined): string =>
  asQuote(`${cut(text, 400)}${ref === undefined ? "" : ` [${ref}]`}`);

export const cut = (text: string, most: number = quoteCharacters): string => {
  const trimmed = text.trim();
  if (trimmed.length <= most) return trimmed;
  const head = trimmed.slice(0, most).toWellFormed();
  // Not within a word, so that what is quoted stands there.
  return `${/\s/.test(head) ? head.replace(/(?<!\s)\s+\S*$/, "") : head}…`;
};
