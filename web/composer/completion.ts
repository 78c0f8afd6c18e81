import type { Response } from "../../protocol/api.ts";

/** Something that can stand after an `@`. */
export type Suggestion = {
  readonly kind: "command" | "tool" | "file" | "entity" | "project";
  /** Unique among those of its kind. */
  readonly id: string;
  /** Without the `@`. */
  readonly name: string;
  readonly about: string;
  /** What is written in its place: plain words that a person and a model can read. */
  readonly insert: string;
};

/** The word that is being typed after an `@`, and where it stands. */
export type Mention = { readonly start: number; readonly end: number; readonly word: string };

/** Names of tools, words of titles in any script, and paths. */
const letters = String.raw`[\p{L}\p{M}\p{N}_./-]`;
const mention = new RegExp(String.raw`(?:^|[\s([{"'“‘])@(${letters}{0,60})$`, "u");
const following = new RegExp(`^${letters}*`, "u");

/** An `@` in the middle of a word is somebody's address and begins nothing. */
export function findMention(text: string, caret: number): Mention | null {
  const match = mention.exec(text.slice(0, caret));
  if (!match) return null;
  const word = match[1] ?? "";
  const rest = following.exec(text.slice(caret))?.[0] ?? "";
  return { start: caret - word.length - 1, end: caret + rest.length, word: word + rest };
}

export const toSuggestions = ({ commands, tools }: Response<"listTools">): readonly Suggestion[] => [
  ...commands.map(({ command, about }): Suggestion => {
    const name = command.replace(/^@/, "");
    return { kind: "command", id: name, name, about, insert: `@${name}` };
  }),
  ...tools.map(({ name, description }): Suggestion => ({
    kind: "tool",
    id: name,
    name,
    about: description,
    insert: `@${name}`,
  })),
];

const longest = 40;

/** What begins with the word first, then what holds it, each in the order given. */
export function filterSuggestions(all: readonly Suggestion[], word: string): readonly Suggestion[] {
  const sought = word.toLowerCase();
  const toRank = ({ name }: Suggestion) => {
    const at = name.toLowerCase().indexOf(sought);
    return at < 0 ? 2 : at === 0 ? 0 : 1;
  };
  return all
    .filter((suggestion) => toRank(suggestion) < 2)
    .toSorted((a, b) => toRank(a) - toRank(b))
    .slice(0, longest);
}

export type CompletedText = { readonly text: string; readonly caret: number };

/** The text with the word completed, and one space after it to write on. */
export function complete(text: string, { start, end }: Mention, { insert }: Suggestion): CompletedText {
  const rest = text.slice(end);
  const space = /^\s/.test(rest) ? "" : " ";
  return { text: `${text.slice(0, start)}${insert}${space}${rest}`, caret: start + insert.length + 1 };
}
