import type { Change } from "../../../protocol/project/project.ts";
import { findKind } from "../../../protocol/project/kinds.ts";
import { nameItem } from "../draft/check.ts";
import type { ActDraft } from "../draft/draft.ts";

type ChangeGroup =
  | "created"
  | "changed"
  | "moved"
  | "deleted"
  | "restored"
  | "linked"
  | "unlinked"
  | "files"
  | "project";

/** One sentence that describes an act. */
export function toSentence(changes: readonly Change[], draft: ActDraft): string {
  const sorted = Map.groupBy(changes, (change) => toGroup(change, draft));
  const parts = [...sorted].map(([sort, some]) => describe[sort](some, draft));
  if (parts.length === 0) return "Nothing changed";
  const text = parts.join("; ");
  return cut(text.charAt(0).toUpperCase() + text.slice(1));
}

const UNDID = "Undid: ";
const REDID = "Redid: ";
/** Stored by 0.1.0. */
const OLD_UNDID = "Took back: ";
const OLD_REDID = "Did again: ";

export function toUndoSentence(text: string): string {
  const undone = withoutPrefix(text, UNDID) ?? withoutPrefix(text, OLD_UNDID);
  if (undone !== undefined) return cut(REDID + undone);
  return cut(UNDID + (withoutPrefix(text, REDID) ?? withoutPrefix(text, OLD_REDID) ?? text));
}

const withoutPrefix = (text: string, prefix: string): string | undefined =>
  text.startsWith(prefix) ? text.slice(prefix.length) : undefined;

export const toRunUndoSentence = (texts: readonly string[]): string =>
  texts.length === 1 ? toUndoSentence(texts[0] ?? "") : `${UNDID}${texts.length} acts of a run`;

const cut = (text: string): string => (text.length > 300 ? `${text.slice(0, 297).toWellFormed()}...` : text);

function toGroup({ what, id, before, after }: Change, draft: ActDraft): ChangeGroup {
  if (what === "edge") return after ? "linked" : "unlinked";
  if (what === "file") return "files";
  if (what === "project") return "project";
  if (!after) return "deleted";
  if (!before) return draft.read.has(id) ? "restored" : "created";
  return Object.keys(after).every((name) => name === "parentId" || name === "position") ? "moved" : "changed";
}

const describe: Readonly<Record<ChangeGroup, (changes: readonly Change[], draft: ActDraft) => string>> = {
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
  restored: (changes, draft) => `restored ${toNames(changes, draft)}`,
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

/** One entity by its name; several as counts by kind. */
function toNames(changes: readonly Change[], draft: ActDraft): string {
  const items = changes.flatMap(({ id }) => draft.items.get(id) ?? []);
  const [only] = items;
  if (only && items.length === 1) return nameItem(only);
  const counts = Map.groupBy(items, ({ kind }) => kind);
  return [...counts]
    .map(([kind, some]) => `${some.length} ${some.length === 1 ? kind : (findKind(kind)?.plural ?? kind)}`)
    .join(", ");
}
