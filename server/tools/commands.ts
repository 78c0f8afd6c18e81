import { replaceCodeSpans } from "../lib/code-spans.ts";

/** A word after an `@` that chooses a tool. `input`: arguments that come with the choice. */
export type Command = {
  readonly command: string;
  readonly tool: string;
  readonly about: string;
  readonly input?: Readonly<Record<string, unknown>>;
};

export const commands: readonly Command[] = [
  {
    command: "@basic",
    tool: "search_web",
    about: "A quick search of the web",
    input: { provider: "tavily", depth: "quick" },
  },
  {
    command: "@search",
    tool: "search_web",
    about: "A thorough search of the web",
    input: { provider: "firecrawl", depth: "deep" },
  },
  { command: "@workingMemory", tool: "working_memory", about: "Remember or forget something about me" },
  { command: "@summarize", tool: "summarize", about: "Sum up this thread now" },
];

export type FoundCommand = {
  /** As it is spelt in the table; a tool's own name is its command. */
  readonly command: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Where its `@` stands in the text. */
  readonly at: number;
  /** Its own words: up to the next command, or before it when none follow. */
  readonly text: string;
};

export type ParsedCommands = {
  /** By position; each command once, where it stands first. */
  readonly commands: readonly FoundCommand[];
  /** The text without them. */
  readonly rest: string;
};

const mention = /(?<![\p{L}\p{N}_@./:+=&#~%-])@([\p{L}\p{N}_][\p{L}\p{N}_-]*)(?![@/:]|\.[\p{L}\p{N}])/gu;
/** Addresses and code are somebody's text, not words to us. */
const foreign = /\b[a-z][a-z\d+.-]{1,20}:\/\/\S+|\bwww\.\S+/giu;

/** The commands in a person's words. Pure; whole words, in any case, with `_` and `-` as one likes. */
export function parseCommands(text: string, toolNames: readonly string[]): ParsedCommands {
  const known = new Map<string, Omit<FoundCommand, "at" | "text">>();
  for (const name of toolNames) known.set(toPlain(name), { command: `@${name}`, tool: name, input: {} });
  for (const { command, tool, input = {} } of commands) known.set(toPlain(command.slice(1)), { command, tool, input });

  if (!text.includes("@")) return { commands: [], rest: text.trim() };
  const blank = (span: string): string => " ".repeat(span.length);
  const withoutBlocks = text.replace(/```[\s\S]*?(?:```|$)/g, blank);
  const withoutCode = withoutBlocks
    .split("\n")
    .map((line) => (line.includes("`") ? replaceCodeSpans(line, blank) : line));
  const readable = withoutCode.join("\n").replace(foreign, blank);
  const found: (Omit<FoundCommand, "text"> & { readonly piece: number })[] = [];
  const pieces: string[] = [];
  let end = 0;
  for (const { 0: whole, 1: word = "", index: at } of readable.matchAll(mention)) {
    const command = known.get(toPlain(word));
    if (!command) continue;
    if (!found.some((other) => other.command === command.command)) found.push({ ...command, at, piece: pieces.length });
    pieces.push(text.slice(end, at));
    end = at + whole.length;
  }
  pieces.push(text.slice(end));
  const toOwn = (piece: number): string => pieces[piece + 1]?.trim() || (pieces[piece]?.trim() ?? "");
  return {
    commands: found.map(({ piece, ...command }) => ({ ...command, text: toOwn(piece) })),
    rest: pieces.reduce(join).trim(),
  };
}

const toPlain = (name: string): string => name.toLowerCase().replace(/[_-]/g, "");

/** One space where a command stood between two. */
const join = (before: string, after: string): string =>
  /\s$|^$/.test(before) ? before + after.replace(/^[^\S\n]+/, "") : before + after;
