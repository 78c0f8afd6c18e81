import { ApiError } from "../../../protocol/errors.ts";
import type { EntityOp } from "../../../protocol/project/project.ts";
import { checkItem, getKind, getExisting, getExpectedVersion, toCurrent, nameItem } from "./check.ts";
import { toEdgeId, type ActDraft, type EdgeKey } from "./draft.ts";
import { withFields, type Fields, type Item } from "./item.ts";
import { findPosition } from "./positions.ts";

type OpOf<D extends EntityOp["do"]> = Extract<EntityOp, { do: D }>;
type Apply = { readonly [D in EntityOp["do"]]: (draft: ActDraft, op: OpOf<D>) => void };

/** Changes the draft. Throws on the first invalid operation, which discards the whole act. */
export function applyOps(draft: ActDraft, ops: readonly EntityOp[]): void {
  for (const op of ops) (apply[op.do] as (draft: ActDraft, op: EntityOp) => void)(draft, op);
}

const apply: Apply = {
  create: (draft, op) => {
    const known = draft.items.get(op.id);
    if (known)
      throw new ApiError("conflict", `This id belongs to ${nameItem(known)}. Use another id.`, toCurrent(known));
    const { states } = getKind(op.kind);
    if (op.parentId !== null) getExisting(draft, op.parentId);
    const { project, now } = draft.situation;
    const blank: Item = {
      project: project.id,
      id: op.id,
      kind: op.kind,
      title: op.title,
      body: "",
      state: states[0] ?? "",
      ended: 0,
      priority: 0,
      starts_at: null,
      ends_at: null,
      parent: op.parentId,
      position: findPosition(draft, { parent: op.parentId, after: op.after, self: op.id }),
      version: 1,
      deleted: 0,
      created_at: now,
      updated_at: now,
    };
    write(draft, blank, toSet(op));
  },
  update: (draft, op) => write(draft, getExpectedVersion(draft, op.id, op.version), toSet(op)),
  move: (draft, op) => {
    const item = getExpectedVersion(draft, op.id, op.version);
    const { parentId, after } = op;
    if (parentId !== null) refuseCycle(draft, item, parentId);
    const position = findPosition(draft, { parent: parentId, after, self: op.id });
    draft.put(withFields(item, { parentId, position }));
  },
  delete: (draft, op) => {
    const all = [getExpectedVersion(draft, op.id, op.version)];
    for (const item of all) all.push(...draft.children(item.id));
    for (const item of all) draft.put({ ...item, deleted: 1 });
  },
  link: (draft, { sourceId, targetId, relation }) => {
    const key = { source: sourceId, relation, target: targetId };
    const [source] = [getExisting(draft, sourceId), getExisting(draft, targetId)];
    if (sourceId === targetId) throw new ApiError("invalid", `${nameItem(source)} cannot be linked to itself.`);
    draft.edges.set(toEdgeId(key), key);
  },
  unlink: (draft, { sourceId, targetId, relation }) => {
    const key: EdgeKey = { source: sourceId, relation, target: targetId };
    getExisting(draft, sourceId);
    getExisting(draft, targetId);
    draft.edges.delete(toEdgeId(key));
  },
};

function write(draft: ActDraft, item: Item, set: Partial<Fields>): void {
  const next = withFields(item, set);
  checkItem(next);
  draft.put(next);
}

function toSet({ title, body, state, priority, startsAt, endsAt }: OpOf<"create" | "update">): Partial<Fields> {
  return {
    ...(title === undefined ? {} : { title }),
    ...(body === undefined ? {} : { body }),
    ...(state === undefined ? {} : { state }),
    ...(priority === undefined ? {} : { priority }),
    ...(startsAt === undefined ? {} : { startsAt }),
    ...(endsAt === undefined ? {} : { endsAt }),
  };
}

function refuseCycle(draft: ActDraft, item: Item, parentId: string): void {
  for (let id: string | null = parentId; id !== null; id = getExisting(draft, id).parent) {
    if (id === item.id) throw new ApiError("invalid", `${nameItem(item)} cannot be its own ancestor.`);
  }
}
