import { ApiError } from "../../../protocol/errors.ts";
import type { Change } from "../../../protocol/project/project.ts";
import { toProject } from "../read/views.ts";
import { checkItem, toCurrent, toName } from "./check.ts";
import type { Draft, EdgeKey, File } from "./draft.ts";
import { toFields, withFields, type Fields, type Item } from "./item.ts";

type Apply = (draft: Draft, change: Change) => void;

/** Puts back what stood before a change, where what it wrote still stands. Newest first; one that is refused refuses all. */
export function applyUndo(draft: Draft, changes: readonly Change[]): void {
  for (const change of changes) undo[change.what](draft, change);
}

const undo: Readonly<Record<Change["what"], Apply>> = {
  project: (draft, { before, after }) => {
    if (!before)
      throw new ApiError("invalid", "That a project was started is not taken back: delete the project instead.");
    const { project } = draft.own;
    const now: Record<string, unknown> = { ...project, archived: project.archived === 1 };
    if (!isStanding(now, after)) refuse("The project", toProject(project));
    const { archived, ...fields } = before;
    const flag = archived === undefined ? {} : { archived: archived ? 1 : 0 };
    draft.own.project = { ...project, ...fields, ...flag };
  },
  entity: (draft, { id, before, after, title }) => {
    const item = draft.items.get(id);
    if (!item) throw new ApiError("conflict", `"${title}" is not there any more.`, null);
    if (after === null) return bringBack(draft, item);
    if (item.deleted === 1) throw new ApiError("conflict", `${toName(item)} was deleted since then.`, null);
    if (!isStanding(toFields(item), after)) refuse(toName(item), toCurrent(item));
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

function bringBack(draft: Draft, item: Item): void {
  if (item.deleted === 0) refuse(toName(item), toCurrent(item));
  draft.put({ ...item, deleted: 0 });
}

/** A place among siblings is a number that others may have changed without moving anything: it does not count. */
const isStanding = (now: Readonly<Record<string, unknown>>, after: Change["after"]): boolean =>
  Object.entries(after ?? {}).every(([name, value]) => name === "position" || now[name] === value);

function refuse(what: string, current: unknown): never {
  throw new ApiError("conflict", `${what} has changed since then: it is not what that act left.`, current);
}

/** Of an edge by its name. */
export const toKey = (id: string): EdgeKey => {
  const [source = "", relation = "", target = ""] = id.split(" ");
  return { source, relation, target };
};
