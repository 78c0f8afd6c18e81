import type { Change } from "../../../protocol/project/project.ts";
import { findKind } from "../../../protocol/project/kinds.ts";
import { toName } from "../draft/check.ts";
import type { Draft } from "../draft/draft.ts";

type Sort = "created" | "changed" | "moved" | "deleted" | "brought back" | "linked" | "unlinked" | "files" | "project";

/** What an act did, in a sentence. */
export function toSentence(changes: readonly Change[], draft: Draft): string {
  const sorted = Map.groupBy(changes, (change) => toSort(change, draft));
  const parts = [...sorted].map(([sort, some]) => describe[sort](some, draft));
  if (parts.length === 0) return "Nothing changed";
  const text = parts.join("; ");
  return cut(text.charAt(0).toUpperCase() + text.slice(1));
}

const TOOK = "Took back: ";
const AGAIN = "Did again: ";

/** The opposite of what this sentence says. */
export function toUndoSentence(text: string): string {
  if (text.startsWith(TOOK)) return cut(AGAIN + text.slice(TOOK.length));
  return cut(TOOK + (text.startsWith(AGAIN) ? text.slice(AGAIN.length) : text));
}

export const toRunUndoSentence = (texts: readonly string[]): string =>
  texts.length === 1 ? toUndoSentence(texts[0] ?? "") : `${TOOK}${texts.length} acts of a run`;

const cut = (text: string): string => (text.length > 300 ? `${text.slice(0, 297).toWellFormed()}...` : text);

function toSort({ what, id, before, after }: Change, draft: Draft): Sort {
  if (what === "edge") return after ? "linked" : "unlinked";
  if (what === "file") return "files";
  if (what === "project") return "project";
  if (!after) return "deleted";
  if (!before) return draft.read.has(id) ? "brought back" : "created";
  return Object.keys(after).every((name) => name === "parentId" || name === "position") ? "moved" : "changed";
}

const describe: Readonly<Record<Sort, (changes: readonly Change[], draft: Draft) => string>> = {
  created: (changes, draft) => `created ${toNames(changes, draft)}`,
  changed: (changes, draft) => {
    const [{ after }] = changes as [Change];
    const names = Object.keys(after ?? {}).filter((name) => name !== "position");
    if (changes.length > 1) return `changed ${toNames(changes, draft)}`;
    if (names.length === 1 && names[0] === "state")
      return `set ${toNames(changes, draft)} to ${String(after?.["state"])}`;
    return `changed ${names.map((name) => fieldWords[name] ?? name).join(", ")} of ${toNames(changes, draft)}`;
  },
  moved: (changes, draft) => `moved ${toNames(changes, draft)}`,
  deleted: (changes, draft) => `deleted ${toNames(changes, draft)}`,
  "brought back": (changes, draft) => `brought back ${toNames(changes, draft)}`,
  linked: (changes) => (changes.length === 1 ? `linked ${changes[0]?.title}` : `made ${changes.length} links`),
  unlinked: (changes) => (changes.length === 1 ? `unlinked ${changes[0]?.title}` : `removed ${changes.length} links`),
  files: (changes) => (changes.length === 1 ? `changed ${changes[0]?.title}` : `changed ${changes.length} files`),
  project: ([change]) => `changed the project's ${Object.keys(change?.after ?? {}).join(", ")}`,
};

const fieldWords: Readonly<Record<string, string>> = {
  body: "text",
  startsAt: "start",
  endsAt: "end",
  parentId: "place",
};

/** The one by its name; several by how many of each kind. */
function toNames(changes: readonly Change[], draft: Draft): string {
  const items = changes.flatMap(({ id }) => draft.items.get(id) ?? []);
  const [only] = items;
  if (only && items.length === 1) return toName(only);
  const counts = Map.groupBy(items, ({ kind }) => kind);
  return [...counts]
    .map(([kind, some]) => `${some.length} ${some.length === 1 ? kind : (findKind(kind)?.plural ?? kind)}`)
    .join(", ");
}
