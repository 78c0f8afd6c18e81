import type { RowOf } from "../../store/schema.ts";
import type { Item } from "./item.ts";

export type EdgeKey = { readonly source: string; readonly relation: string; readonly target: string };
export type File = Pick<RowOf<"files">, "hash" | "bytes" | "lines">;

/** The rows that a plan starts from: all that it refers to or may touch. */
export type Situation = {
  readonly project: RowOf<"projects">;
  readonly now: number;
  readonly items: readonly Item[];
  readonly edges: readonly RowOf<"edges">[];
  readonly files: readonly RowOf<"files">[];
  /** Parents whose children are all in `items`. */
  readonly whole: ReadonlySet<string | null>;
};

/** The project's next state. Operations are applied to it in order; its difference to the rows that were read is the act. */
export type ActDraft = ReturnType<typeof createDraft>;

export const toEdgeId = ({ source, relation, target }: EdgeKey): string => `${source} ${relation} ${target}`;

const byPosition = (a: Item, b: Item): number => a.position - b.position || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

export function createDraft(situation: Situation) {
  const read = new Map(situation.items.map((item) => [item.id, item]));
  const items = new Map<string, Item>();
  const below = new Map<string | null, Set<string>>();
  const edges = new Map(situation.edges.map((edge) => [toEdgeId(edge), edge as EdgeKey]));
  const files = new Map<string, File>(situation.files.map((file) => [file.path, file]));
  const renumbered = new Set<string>();
  /** Parents whose children's positions leave no gap. */
  const cramped = new Set<string | null>();

  const put = (item: Item): void => {
    const before = items.get(item.id);
    if (before && before.parent !== item.parent) below.get(before.parent)?.delete(item.id);
    const siblings = below.get(item.parent);
    if (siblings) siblings.add(item.id);
    else below.set(item.parent, new Set([item.id]));
    items.set(item.id, item);
    renumbered.delete(item.id);
  };
  for (const item of read.values()) put(item);

  return {
    situation,
    read,
    items,
    edges,
    files,
    renumbered,
    cramped,
    own: { project: situation.project },
    put,
    /** Changes the position number without changing the order among siblings. */
    renumber: (item: Item, position: number): void => {
      put({ ...item, position });
      renumbered.add(item.id);
    },
    /** Loaded children that are not deleted, in order. */
    children: (parent: string | null): Item[] =>
      [...(below.get(parent) ?? [])]
        .flatMap((id) => {
          const item = items.get(id);
          return item && item.deleted === 0 ? [item] : [];
        })
        .sort(byPosition),
  };
}
