/** The page cuts a title where its place is too narrow. */
const TITLE_CHARACTERS = 80;
const PREVIEW_CHARACTERS = 60;

/** Title of a thread, from its first message. */
export const toTitle = (text: string): string => shorten(text, TITLE_CHARACTERS);

/** Preview line of a thread, from its last answer. Text that is only Markdown syntax is shown unchanged. */
export function toPreview(text: string): string {
  const head = text.slice(0, PREVIEW_CHARACTERS * 20);
  return shorten(stripMarkdown(head), PREVIEW_CHARACTERS) || shorten(head, PREVIEW_CHARACTERS);
}

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });
/** Printable ASCII has one grapheme per character, so segmentation can be skipped. */
const isPlain = /^[\x20-\x7e]*$/;

/** One line of at most `limit` characters, cut at a word boundary if possible, with an ellipsis. */
export function shorten(text: string, limit: number): string {
  const line = text.replace(/\s+/gu, " ").trim();
  const head = line.slice(0, limit * 16);
  const ends = isPlain.test(head) ? undefined : Array.from(graphemes.segment(head), ({ index }) => index);
  if ((ends?.length ?? head.length) <= limit && line.length <= limit * 16) return line;
  const cut = head.slice(0, ends ? ends[limit - 1] : limit - 1);
  const space = line[cut.length] === " " ? cut.length : cut.lastIndexOf(" ");
  const kept = (space > cut.length / 2 ? cut.slice(0, space) : cut).trimEnd();
  // "The end.…" would look like a mistake.
  return `${kept.replace(/(?<![.,;:])[.,;:]+$/, "") || kept}…`;
}

/** Removes Markdown syntax, for places that show plain text. */
export const stripMarkdown = (text: string): string =>
  text
    // HTML that the page draws. Other tags stay, as they do on the page.
    .replace(/<br ?\/?>/giu, " ")
    .replace(/<\/?(?:b|i|u|s|em|strong|sub|sup|kbd|mark|small|del|ins|details|summary)>/giu, "")
    // Links and pictures are replaced by their text.
    .replace(/!?\[([^[\]\n]*)\]\([^()\n]*\)/gu, "$1")
    // Footnotes and tasks.
    .replace(/\[\^[^[\]\s]{1,40}\]:?/gu, "")
    .replace(/^[ \t]*[-*+] \[[ x]\](?= )/gimu, "")
    .replace(/^[ \t]*\|.*$/gm, (row) => row.replaceAll("|", " "))
    .replace(
      /^[ \t:]*-[ \t:-]*$|```\w*|`+|^[ \t>]+|^#{1,6}(?=\s)|^[ \t]*\*\s|(?<=\S)\*+|(?<!\*)\*+(?=\S)|(?<!\w)_+|(?<!_)_+(?!\w)/gmu,
      "",
    );
