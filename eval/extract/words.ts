/** Words as the benchmark counts them: runs of letters, digits and underscores, in lower case. */
export const toWords = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];

export type Accuracy = { readonly f1: number; readonly precision: number; readonly recall: number };

/** Over bags of words; F1 is the harmonic mean of the other two. */
export function measureAccuracy(found: readonly string[], wanted: readonly string[]): Accuracy {
  if (found.length === 0 && wanted.length === 0) return { f1: 1, precision: 1, recall: 1 };
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  let hits = 0;
  for (const word of found) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    hits += 1;
    left.set(word, count - 1);
  }
  return {
    f1: (2 * hits) / (found.length + wanted.length),
    precision: found.length === 0 ? 0 : hits / found.length,
    recall: wanted.length === 0 ? 1 : hits / wanted.length,
  };
}

/** The text of Markdown: without the targets of links, the names of images and the marks, none of which a reader sees. */
export const stripMarkdown = (markdown: string): string =>
  markdown
    .replace(/^(\s*(?:[-*>]|\d+\.)?\s*)`{3,}[\w+#-]*$/gm, "$1")
    .replace(/\[image: [^\]]*\]/g, "")
    .replace(/\]\((?:[a-z]+:)[^\s)]*\)/g, "]")
    .replace(/\\(?=[^\p{L}\p{N}\s])/gu, "")
    .replace(/\*\*|~~|(?<![\p{L}\p{N}])\*|\*(?![\p{L}\p{N}])/gu, "")
    .replace(/^(\s*)\d+\. /gm, "$1");
