/** Searchable by title, group and keywords. */
export type Searchable = {
  readonly id: string;
  readonly title: string;
  readonly group: string;
  readonly keywords: string;
};

const mostRecent = 12;

/**
 * Commands that contain every typed word. Starts of words rank above their middles, titles above the rest, titles that start
 * with the whole query highest; ties are broken by recent use. Without a query: all, recent ones first.
 */
export function findCommands<C extends Searchable>(
  all: readonly C[],
  query: string,
  recent: readonly string[],
): readonly C[] {
  const words = toWords(query);
  const toRecency = ({ id }: C) => {
    const at = recent.indexOf(id);
    return at < 0 ? 0 : (mostRecent - at) / (mostRecent * 2);
  };
  const ranked = all.map((command, index) => ({ command, index, rank: toRank(command, words) + toRecency(command) }));
  return ranked
    .filter(({ rank }) => rank >= 0)
    .toSorted((a, b) => b.rank - a.rank || a.index - b.index)
    .map(({ command }) => command);
}

/** Below zero: no match. */
function toRank({ title, group, keywords }: Searchable, words: readonly string[]): number {
  const ranks = words.map((word) => {
    const inTitle = rankIn(title, word);
    return inTitle > 0 ? inTitle + 1 : rankIn(`${group} ${keywords}`, word);
  });
  const isPrefix = words.length > 0 && toWords(title).join(" ").startsWith(words.join(" "));
  return ranks.includes(0) ? -2 : ranks.reduce((sum, rank) => sum + rank, isPrefix ? 1 : 0);
}

function rankIn(text: string, word: string): number {
  const plain = toPlain(text);
  const at = plain.indexOf(word);
  if (at < 0) return 0;
  return toWords(text).some((other) => other.startsWith(word)) ? 2 : 1;
}

const toPlain = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

const toWords = (text: string): readonly string[] => toPlain(text).match(/[\p{L}\p{N}]+/gu) ?? [];

export const addRecent = (recent: readonly string[], id: string): readonly string[] =>
  [id, ...recent.filter((other) => other !== id)].slice(0, mostRecent);

export const readRecent = (stored: string | null): readonly string[] =>
  (stored ?? "").split(" ").filter((id) => id !== "");
