import type { ToolSpec } from "../../../protocol/model.ts";

const mention = /(?<![\p{L}\p{N}_@./:+=&#~%-])@([\p{L}\p{N}_][\p{L}\p{N}_-]*)(?![@/:]|\.[\p{L}\p{N}])/gu;
const words = new Set(["basic", "search", "workingmemory", "summarize"]);

export type Commanded = {
  /** In plain lower case, in the order of the text. */
  readonly commands: readonly string[];
  /** The text without them. */
  readonly rest: string;
  /** The words behind the nth of several commands; all of them where it has none of its own. */
  readonly wordsOf: (index: number) => string;
};

/** Which command chooses which tool is the run's business; here they are only told from the person's other words. */
export const readCommands = (text: string, tools: readonly ToolSpec[]): Commanded => {
  const names = new Set(tools.map(({ name }) => toPlain(name)));
  const found = [...text.matchAll(mention)].filter(([, word = ""]) => {
    const plain = toPlain(word);
    return words.has(plain) || names.has(plain);
  });
  const segments = found.map((match, index) => text.slice(match.index + match[0].length, found[index + 1]?.index));
  const rest = toLine([text.slice(0, found[0]?.index), ...segments].join(" "));
  return {
    commands: found.map(([, word = ""]) => toPlain(word)),
    rest,
    wordsOf: (index) => (segments.length > 1 ? toLine(segments[index] ?? "") : "") || rest,
  };
};

const toPlain = (name: string): string => name.toLowerCase().replace(/[_-]/g, "");

const toLine = (text: string): string => text.replace(/[^\S\n]+/g, " ").trim();
