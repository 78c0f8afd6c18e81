import type { Response } from "../../protocol/api.ts";
import { describeTool, toToolName } from "../labels/tools.ts";

/** A completion after an `@` or a `/`. */
export type Suggestion = {
  readonly kind: "prompt" | "command" | "tool" | "file" | "entity" | "project";
  /** Unique within its kind. The typed word is compared with it and with the name. */
  readonly id: string;
  readonly name: string;
  readonly about: string;
  /** The inserted text, readable for the user and the model. */
  readonly insert: string;
  /** A prompt of an MCP server, whose text is fetched with its arguments. */
  readonly remote?: { readonly server: string; readonly name: string; readonly variables: readonly string[] };
};

/** The word being typed after an `@` or a `/`, and its range. */
export type Mention = {
  readonly sign: "@" | "/";
  readonly start: number;
  readonly end: number;
  readonly word: string;
};

/** Tool names, words of titles in any script, and paths. */
const letters = String.raw`[\p{L}\p{M}\p{N}_./-]`;
const mention = new RegExp(String.raw`(?:^|[\s([{"'“‘])@(${letters}{0,60})$`, "u");
const following = new RegExp(`^${letters}*`, "u");
const slashLetters = String.raw`[\p{L}\p{M}\p{N}_-]`;
const slash = new RegExp(String.raw`(?:^|\s)\/(${slashLetters}{0,60})$`, "u");
const followingSlash = new RegExp(`^${slashLetters}*`, "u");

/** An `@` inside a word is part of an email address, a `/` inside one is part of a path. */
export function findMention(text: string, caret: number): Mention | null {
  const before = text.slice(0, caret);
  const named = mention.exec(before);
  const match = named ?? slash.exec(before);
  if (!match) return null;
  const word = match[1] ?? "";
  const rest = (named ? following : followingSlash).exec(text.slice(caret))?.[0] ?? "";
  return {
    ...{ sign: named ? "@" : "/", start: caret - word.length - 1 },
    ...{ end: caret + rest.length, word: word + rest },
  };
}

/** The engine's own tools, which are not called by name. */
const internal: ReadonlySet<string> = new Set(["find_tools", "use_tool", "ask_user"]);

const toWord = (command: string): string => command.replace(/^@/, "");

/** Commands, by what they do. */
export const toCommands = ({ commands }: Response<"listTools">, sign: Mention["sign"]): readonly Suggestion[] =>
  commands.map(({ command, about }) => {
    const id = toWord(command);
    return { kind: "command", id, name: about, about: `${sign}${id}`, insert: `@${id}` };
  });

/** Commands, then the tools that have no command. Tools for files are left out where there are none. */
export const toSuggestions = (offered: Response<"listTools">, hasProject: boolean): readonly Suggestion[] => {
  const commanded = new Set(offered.commands.map(({ tool }) => tool));
  const others = offered.tools.filter(
    ({ name, off, needsProject }) =>
      !internal.has(name) && !commanded.has(name) && !off && (hasProject || !needsProject),
  );
  return [
    ...toCommands(offered, "@"),
    ...others.map(({ name, description }): Suggestion => ({
      kind: "tool",
      id: name,
      name: toToolName(name),
      about: describeTool(name, description),
      insert: `@${name}`,
    })),
  ];
};

/** A message that begins with `/command` as the engine reads it. */
export function replaceSlash(text: string, offered: Response<"listTools"> | null): string {
  const word = /^\/([\p{L}\p{N}_-]{1,60})(?=\s|$)/u.exec(text)?.[1];
  const known = offered?.commands.find(({ command }) => toWord(command).toLowerCase() === word?.toLowerCase());
  return word !== undefined && known ? `${known.command}${text.slice(word.length + 1)}` : text;
}

const longest = 40;

/** Matches at the start of a name first, then other matches, each in the given order. */
export function filterSuggestions(all: readonly Suggestion[], word: string): readonly Suggestion[] {
  const query = word.toLowerCase();
  const toRank = ({ name, id }: Suggestion) => {
    const places = [name, id].map((one) => one.toLowerCase().indexOf(query)).filter((at) => at >= 0);
    return places.length === 0 ? 2 : Math.min(...places) === 0 ? 0 : 1;
  };
  return all
    .filter((suggestion) => toRank(suggestion) < 2)
    .toSorted((a, b) => toRank(a) - toRank(b))
    .slice(0, longest);
}

export type CompletedText = { readonly text: string; readonly caret: number };

/** The text with the completed word, followed by a space. */
export function complete(text: string, { start, end }: Mention, { insert }: Suggestion): CompletedText {
  const rest = text.slice(end);
  const space = /^\s/.test(rest) ? "" : " ";
  return { text: `${text.slice(0, start)}${insert}${space}${rest}`, caret: start + insert.length + 1 };
}
