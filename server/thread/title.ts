const TITLE_CHARACTERS = 40;
const PREVIEW_CHARACTERS = 60;

/** The thread's name, from its first message (S4-3). */
export const toTitle = (text: string): string => shorten(text, TITLE_CHARACTERS);

/** The line under it, from the last answer (S4-4). */
export const toPreview = (text: string): string =>
  shorten(stripMarks(text.slice(0, PREVIEW_CHARACTERS * 20)), PREVIEW_CHARACTERS);

/** One line of at most `limit` characters, cut at a word where there is one, with one ellipsis. */
export function shorten(text: string, limit: number): string {
  const line = text.replace(/\s+/gu, " ").trim();
  const characters = [...new Intl.Segmenter("und", { granularity: "grapheme" }).segment(line.slice(0, limit * 16))];
  if (characters.length <= limit && line.length <= limit * 16) return line;
  const cut = characters
    .slice(0, limit - 1)
    .map(({ segment }) => segment)
    .join("");
  const space = line[cut.length] === " " ? cut.length : cut.lastIndexOf(" ");
  return `${(space > cut.length / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

const stripMarks = (text: string): string => text.replace(/```\w*|[*`#>|]+|(?<!\w)_+|_+(?!\w)/gu, "");
