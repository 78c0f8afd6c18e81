/** The text of Markdown as it reads when rendered: without marks and link targets. Approximate, for search and short excerpts. */
export const toPlainMarkdown = (text: string): string =>
  text
    .replaceAll(/!?\[([^[\]]*)\]\([^()\s]*(?:\s+"[^"]*")?\)/g, "$1")
    .replaceAll(/^[ \t]*(?:```|~~~).*$/gm, "")
    .replaceAll(/^[ \t]*(?:#{1,6}|>)[ \t]+/gm, "")
    .replaceAll(/\*\*|__|~~|`/g, "")
    .replaceAll(/(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])/g, "");
