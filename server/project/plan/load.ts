import { ApiError } from "../../../protocol/errors.ts";
import type { EntityOp } from "../../../protocol/project/project.ts";
import type { Reads } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import type { Situation } from "../draft/draft.ts";
import type { Item } from "../draft/item.ts";

type PlanReads = Pick<
  Reads,
  "entitiesById" | "fullEntities" | "childrenOf" | "entitySiblings" | "edge" | "hiddenEdges" | "filesByPath"
>;

/** Entities written by one act. */
const MAX_WRITTEN = 10_000;

export type PlanRequest = {
  readonly reads: PlanReads;
  readonly project: RowOf<"projects">;
  readonly now: number;
  /** Parents whose children are all loaded, because positions left no gap and are renumbered. */
  readonly whole: ReadonlySet<string | null>;
};

/** Loads all rows that the operations refer to or may touch. */
export async function loadForOps(request: PlanRequest, ops: readonly EntityOp[]): Promise<Situation> {
  const { reads, project, now, whole } = request;
  const items = createItems(request);
  await items.addFull(ops.flatMap((op) => ("version" in op || op.do === "create" ? [op.id] : [])));
  await items.add(ops.flatMap(toNamed));
  await items.addAbove(ops.flatMap((op) => (op.do === "move" || op.do === "create" ? (op.parentId ?? []) : [])));
  await items.addBelow(ops.flatMap((op) => (op.do === "delete" ? [op.id] : [])));
  const placed = ops.filter((op) => op.do === "create" || op.do === "move");
  for (const { parentId, after } of new Map(placed.map((op) => [`${op.parentId} ${op.after}`, op])).values()) {
    await items.addSiblings(parentId, after, ops.length + 1);
  }
  for (const parent of whole) await items.addAllSiblings(parent);
  const edges: RowOf<"edges">[] = [];
  for (const op of ops) {
    if (op.do !== "link" && op.do !== "unlink") continue;
    const { sourceId: source, targetId: target, relation } = op;
    const edge = await reads.edge({ project: project.id, source, relation, target });
    if (edge) edges.push(edge);
  }
  return { project, now, items: items.all(), edges, files: [], whole };
}

const toNamed = (op: EntityOp): string[] => {
  if (op.do === "link" || op.do === "unlink") return [op.sourceId, op.targetId];
  if (op.do === "create" || op.do === "move") return [op.parentId, op.after].flatMap((id) => id ?? []);
  return [];
};

/** Loads each entity once. One that was loaded with its text keeps the text. */
export function createItems({ reads, project: { id: project } }: PlanRequest) {
  const items = new Map<string, Item>();
  const addRows = (rows: readonly (Omit<Item, "body"> & { readonly body?: string })[]): void => {
    for (const { body = null, ...row } of rows) if (!items.has(row.id)) items.set(row.id, { ...row, body });
  };
  const missing = (ids: readonly string[]): string[] => [...new Set(ids)].filter((id) => !items.has(id));
  const add = async (ids: readonly string[]): Promise<void> => {
    for (const some of toChunks(missing(ids))) addRows(await reads.entitiesById(project, some));
  };

  return {
    all: (): Item[] => [...items.values()],
    get: (id: string): Item | undefined => items.get(id),
    add,
    addFull: async (ids: readonly string[]): Promise<void> => {
      for (const some of toChunks(missing(ids))) addRows(await reads.fullEntities(project, some));
    },
    /** These and their ancestors, up to the root. */
    addAbove: async (ids: readonly string[]): Promise<void> => {
      const passed = new Set<string>();
      for (let level = [...new Set(ids)]; level.length > 0;) {
        await add(level);
        for (const id of level) passed.add(id);
        const parents = level.flatMap((id) => items.get(id)?.parent ?? []);
        level = [...new Set(parents)].filter((id) => !passed.has(id));
      }
    },
    /** All descendants. */
    addBelow: async (ids: readonly string[]): Promise<void> => {
      let count = 0;
      for (let level = [...new Set(ids)]; level.length > 0;) {
        const below: string[] = [];
        for (const some of toChunks(level)) {
          const rows = await reads.childrenOf(project, some, MAX_WRITTEN - count + 1);
          count += rows.length;
          if (count > MAX_WRITTEN) refuseSize();
          addRows(rows);
          below.push(...rows.map(({ id }) => id));
        }
        level = below;
      }
    },
    /** Siblings around the new position: enough that neighbors remain even if each operation removes one. */
    addSiblings: async (parent: string | null, after: string | null | undefined, limit: number): Promise<void> => {
      const from = after ? items.get(after) : undefined;
      const window = { project, parent, from: from ?? null, limit };
      if (after && !from) return;
      addRows(await reads.entitySiblings({ ...window, back: after === undefined }));
    },
    addAllSiblings: async (parent: string | null): Promise<void> => {
      const rows = await reads.entitySiblings({ project, parent, from: null, back: false, limit: MAX_WRITTEN + 1 });
      if (rows.length > MAX_WRITTEN) refuseSize();
      addRows(rows);
    },
  };
}

const refuseSize = (): never => {
  throw new ApiError(
    "too-large",
    `An act can change at most ${MAX_WRITTEN.toLocaleString("en")} entities. Split it into parts.`,
  );
};

function toChunks(ids: readonly string[]): string[][] {
  const chunks: string[][] = [];
  for (let start = 0; start < ids.length; start += 400) chunks.push(ids.slice(start, start + 400));
  return chunks;
}
