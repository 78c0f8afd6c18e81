import type { Response } from "../../protocol/api.ts";

/** A completion after an `@`. */
export type Suggestion = {
  readonly kind: "command" | "tool" | "file" | "entity" | "project";
  /** Unique within its kind. */
  readonly id: string;
  /** Without the `@`. */
  readonly name: string;
  readonly about: string;
  /** The inserted text, readable for the user and the model. */
  readonly insert: string;
};

/** The word being typed after an `@`, and its range. */
export type Mention = { readonly start: number; readonly end: number; readonly word: string };

/** Tool names, words of titles in any script, and paths. */
const letters = String.raw`[\p{L}\p{M}\p{N}_./-]`;
const mention = new RegExp(String.raw`(?:^|[\s([{"'“‘])@(${letters}{0,60})$`, "u");
const following = new RegExp(`^${letters}*`, "u");

/** An `@` inside a word is part of an email address. */
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

/** Matches at the start of a name first, then other matches, each in the given order. */
export function filterSuggestions(all: readonly Suggestion[], word: string): readonly Suggestion[] {
  const query = word.toLowerCase();
  const toRank = ({ name }: Suggestion) => {
    const at = name.toLowerCase().indexOf(query);
    return at < 0 ? 2 : at === 0 ? 0 : 1;
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
