import { replaceCodeSpans } from "../lib/code-spans.ts";

/** An `@` command that selects a tool. `input`: arguments preset by the command. */
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
    about: "Quick web search",
    input: { provider: "tavily", depth: "quick" },
  },
  {
    command: "@search",
    tool: "search_web",
    about: "Thorough web search",
    input: { provider: "firecrawl", depth: "deep" },
  },
  { command: "@workingMemory", tool: "working_memory", about: "Remember or forget something about me" },
  { command: "@summarize", tool: "summarize", about: "Summarize this thread now" },
];

export type FoundCommand = {
  /** As spelled in `commands`, or `@` plus the tool's name. */
  readonly command: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The index of its `@` in the text. */
  readonly at: number;
  /** The text up to the next command, or the text before this one if nothing follows. */
  readonly text: string;
};

type ParsedCommands = {
  /** In order of position; each command once, at its first occurrence. */
  readonly commands: readonly FoundCommand[];
  /** The text without the commands. */
  readonly rest: string;
};

const mention = /(?<![\p{L}\p{N}_@./:+=&#~%-])@([\p{L}\p{N}_][\p{L}\p{N}_-]*)(?![@/:]|\.[\p{L}\p{N}])/gu;
/** An `@` inside a URL is not a command. */
const urlPattern = /\b[a-z][a-z\d+.-]{1,20}:\/\/\S+|\bwww\.\S+/giu;

/** Finds the commands in a user message. Matches whole words outside code and URLs, ignoring case, `_` and `-`. */
export function parseCommands(text: string, toolNames: readonly string[]): ParsedCommands {
  if (!text.includes("@")) return { commands: [], rest: text.trim() };
  const known = new Map<string, Omit<FoundCommand, "at" | "text">>();
  for (const name of toolNames) known.set(toPlain(name), { command: `@${name}`, tool: name, input: {} });
  for (const { command, tool, input = {} } of commands) known.set(toPlain(command.slice(1)), { command, tool, input });

  const blank = (span: string): string => " ".repeat(span.length);
  const withoutBlocks = text.replace(/```[\s\S]*?(?:```|$)/g, blank);
  const withoutCode = withoutBlocks
    .split("\n")
    .map((line) => (line.includes("`") ? replaceCodeSpans(line, blank) : line));
  const readable = withoutCode.join("\n").replace(urlPattern, blank);
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
  const textOf = (piece: number): string => pieces[piece + 1]?.trim() || (pieces[piece]?.trim() ?? "");
  return {
    commands: found.map(({ piece, ...command }) => ({ ...command, text: textOf(piece) })),
    rest: pieces.reduce(join).trim(),
  };
}

const toPlain = (name: string): string => name.toLowerCase().replace(/[_-]/g, "");

/** Leaves one space where a command between two spaces was removed. */
const join = (before: string, after: string): string =>
  /\s$|^$/.test(before) ? before + after.replace(/^[^\S\n]+/, "") : before + after;
