/** Words as a Markdown quote, with room below for what is said about them. */
export const toQuote = (text: string): string =>
  `${text
    .trim()
    .split("\n")
    .map((line) => (line.trim() === "" ? ">" : `> ${line.trimEnd()}`))
    .join("\n")}\n\n`;
