import { ApiError } from "../../../protocol/errors.ts";
import type { Change } from "../../../protocol/project/project.ts";
import { toProject } from "../read/views.ts";
import { checkItem, toCurrent, nameItem } from "./check.ts";
import type { ActDraft, EdgeKey, File } from "./draft.ts";
import { toEntityFields, withFields, type Fields, type Item } from "./item.ts";

type Apply = (draft: ActDraft, change: Change) => void;

/** Restores the state before the changes, newest first. Throws if anything has changed since, which discards the whole act. */
export function applyUndo(draft: ActDraft, changes: readonly Change[]): void {
  for (const change of changes) undo[change.what](draft, change);
}

const undo: Readonly<Record<Change["what"], Apply>> = {
  project: (draft, { before, after }) => {
    const { project } = draft.own;
    const now: Record<string, unknown> = { ...project, archived: project.archived === 1 };
    if (!isUnchanged(now, after)) refuse("The project", toProject(project));
    // The creation of the project: it is archived, so that this can be undone too.
    const { archived, ...fields } = before ?? { archived: true };
    const flag = archived === undefined ? {} : { archived: archived ? 1 : 0 };
    draft.own.project = { ...project, ...fields, ...flag };
  },
  entity: (draft, { id, before, after, title }) => {
    const item = draft.items.get(id);
    if (!item) throw new ApiError("conflict", `"${title}" no longer exists.`, null);
    if (after === null) return restore(draft, item);
    if (item.deleted === 1) throw new ApiError("conflict", `${nameItem(item)} has been deleted since then.`, null);
    if (!isUnchanged(toEntityFields(item), after)) refuse(nameItem(item), toCurrent(item));
    if (before === null) return draft.put({ ...item, deleted: 1 });
    const next = withFields(item, before as Partial<Fields>);
    checkItem(next);
    draft.put(next);
  },
  edge: (draft, { id, title, before, after }) => {
    const isThere = draft.edges.has(id);
    if (isThere !== (after !== null)) refuse(`The link ${title}`, isThere ? after : null);
    if (before === null) draft.edges.delete(id);
    else draft.edges.set(id, toKey(id));
  },
  file: (draft, { id: path, before, after }) => {
    const file = draft.files.get(path);
    if (file?.hash !== after?.["hash"]) refuse(path, file ? { path, hash: file.hash } : null);
    if (before === null) draft.files.delete(path);
    else draft.files.set(path, before as File);
  },
};

function restore(draft: ActDraft, item: Item): void {
  if (item.deleted === 0) refuse(nameItem(item), toCurrent(item));
  draft.put({ ...item, deleted: 0 });
}

/** Ignores `position`: renumbering changes it without moving anything. */
const isUnchanged = (now: Readonly<Record<string, unknown>>, after: Change["after"]): boolean =>
  Object.entries(after ?? {}).every(([name, value]) => name === "position" || now[name] === value);

function refuse(what: string, current: unknown): never {
  throw new ApiError("conflict", `${what} has changed since that act.`, current);
}

export const toKey = (id: string): EdgeKey => {
  const [source = "", relation = "", target = ""] = id.split(" ");
  return { source, relation, target };
};
