/**
 * Tools that are offered together: when a profile lists the group, or when a message contains one of its example phrases. The
 * phrases miss some messages; the model can still find the tools with find_tools. A tool without a group is always offered.
 */
export type ToolGroup = { readonly name: string; readonly examples: RegExp };

/**
 * `examples`: phrases separated by commas or lines, each a regular expression. In scripts with spaces they match prefixes of
 * words (whole words with `$`), in others substrings.
 */
export function defineGroup(name: string, examples: string): ToolGroup {
  const words = examples
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");
  const spaced = words.filter((word) => !isUnspaced(word)).map((word) => word.replace(/\$$/, "(?![\\p{L}\\p{N}])"));
  const alternatives = [`(?<![\\p{L}\\p{N}])(?:${spaced.join("|")})`, ...words.filter(isUnspaced)];
  return { name, examples: new RegExp(alternatives.join("|"), "iu") };
}

const isUnspaced = (word: string): boolean =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(word);
