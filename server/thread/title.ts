const TITLE_CHARACTERS = 40;
const PREVIEW_CHARACTERS = 60;

/** The thread's name, from its first message. */
export const toTitle = (text: string): string => shorten(text, TITLE_CHARACTERS);

/** The line under it, from the last answer. An answer of Markdown signs alone is shown as it is. */
export function toPreview(text: string): string {
  const head = text.slice(0, PREVIEW_CHARACTERS * 20);
  return shorten(stripMarks(head), PREVIEW_CHARACTERS) || shorten(head, PREVIEW_CHARACTERS);
}

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });
/** One character each: no need to look for what belongs together. */
const isPlain = /^[\x20-\x7e]*$/;

/** One line of at most `limit` characters, cut at a word where there is one, with one ellipsis. */
export function shorten(text: string, limit: number): string {
  const line = text.replace(/\s+/gu, " ").trim();
  const head = line.slice(0, limit * 16);
  const ends = isPlain.test(head) ? undefined : Array.from(graphemes.segment(head), ({ index }) => index);
  if ((ends?.length ?? head.length) <= limit && line.length <= limit * 16) return line;
  const cut = head.slice(0, ends ? ends[limit - 1] : limit - 1);
  const space = line[cut.length] === " " ? cut.length : cut.lastIndexOf(" ");
  return `${(space > cut.length / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/** What Markdown writes beside the words: not for where they are not drawn. */
export const stripMarks = (text: string): string =>
  text.replace(
    /^[ \t|:]*-[ \t|:-]*$|```\w*|[`#>|]+|^[ \t]*\*\s|(?<=\S)\*+|(?<!\*)\*+(?=\S)|(?<!\w)_+|(?<!_)_+(?!\w)/gmu,
    "",
  );
