import { ApiError } from "../../../protocol/errors.ts";
import { findKind, projectLimits, type Kind } from "../../../protocol/project/kinds.ts";
import { toEntity } from "../read/views.ts";
import type { ActDraft } from "./draft.ts";
import type { Item } from "./item.ts";

export const nameItem = ({ kind, title }: Pick<Item, "kind" | "title">): string =>
  `${kind} "${title.length > LONGEST_NAME ? `${title.slice(0, LONGEST_NAME).toWellFormed()}...` : title}"`;

const LONGEST_NAME = 80;

export function getKind(name: string): Kind {
  const kind = findKind(name);
  if (kind) return kind;
  throw new ApiError("invalid", `Unknown kind "${name}".`);
}

export function checkItem(item: Item): void {
  const { states } = getKind(item.kind);
  if (!states.includes(item.state)) {
    throw new ApiError(
      "invalid",
      `A ${item.kind} cannot have the state "${item.state}". Valid states: ${toChoice(states)}.`,
    );
  }
  if (item.title.trim() === "") throw new ApiError("invalid", "The title must not be empty.");
  checkLength("A title", item.title, projectLimits.titleCharacters);
  checkLength("A text", item.body ?? "", projectLimits.bodyCharacters);
  if (item.starts_at !== null && item.ends_at !== null && item.ends_at < item.starts_at) {
    throw new ApiError("invalid", `The end of ${nameItem(item)} must not be before its start.`);
  }
}

function checkLength(what: string, text: string, most: number): void {
  if (text.length > most)
    throw new ApiError("too-large", `${what} can have at most ${most.toLocaleString("en")} characters.`);
}

const toChoice = (words: readonly string[]): string => `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

/** An entity that exists and is not deleted. */
export function getExisting(draft: ActDraft, id: string): Item {
  const item = draft.items.get(id);
  if (!item) throw new ApiError("not-found", `There is no entity with the id ${id} in this project.`);
  if (item.deleted === 0) return item;
  throw new ApiError("conflict", `${nameItem(item)} is deleted. Undo the deletion first.`, null);
}

/** Like `getExisting`, but fails if the entity has changed since the writer read it. */
export function getExpectedVersion(draft: ActDraft, id: string, version: number): Item {
  const item = getExisting(draft, id);
  const read = draft.read.get(id);
  if ((read?.version ?? 1) === version) return item;
  throw new ApiError("conflict", `${nameItem(item)} has changed since you loaded it.`, toCurrent(read ?? item));
}

export const toCurrent = (item: Item) => (item.deleted === 1 ? null : toEntity({ ...item, body: item.body ?? "" }));

/** Changed entities need an existing parent and no cycle above them; a deleted one must not have children left. */
export function checkTree(draft: ActDraft, touched: readonly Item[]): void {
  for (const item of touched) {
    if (item.deleted === 1) {
      const [child] = draft.children(item.id);
      if (!child) continue;
      throw new ApiError(
        "conflict",
        `${nameItem(item)} has a new child, ${nameItem(child)}. Move it first.`,
        toCurrent(child),
      );
    }
    const passed = new Set([item.id]);
    for (let id = item.parent; id !== null;) {
      const parent = getExisting(draft, id);
      if (passed.has(id)) throw new ApiError("invalid", `${nameItem(item)} cannot be its own ancestor.`);
      passed.add(id);
      id = parent.parent;
    }
  }
}
