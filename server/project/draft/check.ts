import { ApiError } from "../../../protocol/errors.ts";
import { findKind, projectLimits, type Kind } from "../../../protocol/project/kinds.ts";
import { toEntity } from "../read/views.ts";
import type { Draft } from "./draft.ts";
import type { Item } from "./item.ts";

export const toName = ({ kind, title }: Pick<Item, "kind" | "title">): string =>
  `${kind} "${title.length > LONGEST_NAME ? `${title.slice(0, LONGEST_NAME).toWellFormed()}...` : title}"`;

const LONGEST_NAME = 80;

export function getKind(name: string): Kind {
  const kind = findKind(name);
  if (kind) return kind;
  throw new ApiError("invalid", `There is no kind "${name}".`);
}

/** What may stand in a row at all. */
export function checkItem(item: Item): void {
  const { states } = getKind(item.kind);
  if (!states.includes(item.state)) {
    throw new ApiError("invalid", `A ${item.kind} cannot be "${item.state}": it is ${toChoice(states)}.`);
  }
  if (item.title.trim() === "") throw new ApiError("invalid", "A title needs some text.");
  checkLength("A title", item.title, projectLimits.titleCharacters);
  checkLength("A text", item.body ?? "", projectLimits.bodyCharacters);
  if (item.starts_at !== null && item.ends_at !== null && item.ends_at < item.starts_at) {
    throw new ApiError("invalid", `${toName(item)} would end before it starts.`);
  }
}

function checkLength(what: string, text: string, most: number): void {
  if (text.length > most)
    throw new ApiError("too-large", `${what} holds at most ${most.toLocaleString("en")} characters.`);
}

const toChoice = (words: readonly string[]): string => `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

/** Something that is there and not deleted. */
export function getLiving(draft: Draft, id: string): Item {
  const item = draft.items.get(id);
  if (!item) throw new ApiError("not-found", `There is nothing with the id ${id} in this project.`);
  if (item.deleted === 0) return item;
  throw new ApiError("conflict", `${toName(item)} was deleted: take that back first.`, null);
}

/** The same, as the writer saw it: what has changed since is not written over. */
export function getExpectedVersion(draft: Draft, id: string, version: number): Item {
  const item = getLiving(draft, id);
  const read = draft.read.get(id);
  if ((read?.version ?? 1) === version) return item;
  throw new ApiError(
    "conflict",
    `${toName(item)} has changed since you looked: this is how it is now.`,
    toCurrent(read ?? item),
  );
}

export const toCurrent = (item: Item) => (item.deleted === 1 ? null : toEntity({ ...item, body: item.body ?? "" }));

/** What was touched stands below something that is there, and not below itself; nothing is left below what is gone. */
export function checkTree(draft: Draft, touched: readonly Item[]): void {
  for (const item of touched) {
    if (item.deleted === 1) {
      const [child] = draft.children(item.id);
      if (!child) continue;
      throw new ApiError(
        "conflict",
        `${toName(child)} stands below ${toName(item)} by now: move it first.`,
        toCurrent(child),
      );
    }
    const passed = new Set([item.id]);
    for (let id = item.parent; id !== null;) {
      const parent = getLiving(draft, id);
      if (passed.has(id)) throw new ApiError("invalid", `${toName(item)} cannot stand below itself.`);
      passed.add(id);
      id = parent.parent;
    }
  }
}
