/** Text as a Markdown quote, followed by an empty line. */
export const toQuote = (text: string): string =>
  `${text
    .trim()
    .split("\n")
    .map((line) => (line.trim() === "" ? ">" : `> ${line.trimEnd()}`))
    .join("\n")}\n\n`;
