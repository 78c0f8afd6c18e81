import type { Change } from "../../../protocol/project/project.ts";
import type { Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { checkTree } from "./check.ts";
import { toEdgeId, type ActDraft, type File, type EdgeKey } from "./draft.ts";
import { toEntityFields, toSearchTerms, type Fields, type Item } from "./item.ts";
import { toEdge } from "../read/views.ts";

type SettledDraft = {
  readonly changes: readonly Change[];
  readonly writes: readonly Write[];
  readonly exclusive: boolean;
  /** The written entities in their new state, without deleted ones. */
  readonly items: readonly Item[];
  readonly project?: RowOf<"projects">;
};

/** The difference between the rows that were read and the draft, as changes and as writes. */
export function settleDraft(draft: ActDraft): SettledDraft {
  const { project, now } = draft.situation;
  const pairs = findPairs(draft);
  checkTree(
    draft,
    pairs.filter(isMoved).map(({ next }) => next),
  );
  const edges = diffEdges(draft, pairs);
  const moved = [...draft.renumbered].flatMap((id): Write[] => {
    const item = draft.items.get(id);
    if (!item) return [];
    return [{ do: "update", table: "entities", set: { position: item.position }, where: { project: project.id, id } }];
  });
  const own = diffProject(draft);
  const files = diffFiles(draft);
  const changes = [...own.changes, ...pairs.map(toChange), ...edges.changes, ...files.changes];
  return {
    changes,
    writes: [
      ...pairs.flatMap(({ last, next }) => (last ? [updateItem(last, next, now)] : [insertItem(next)])),
      ...moved,
      ...edges.writes,
      ...files.writes,
      ...guard(draft, pairs),
    ],
    exclusive: moved.length > 0 || files.changes.length > 0 || pairs.some(isStructural),
    items: pairs.flatMap(({ next }) => (next.deleted === 1 ? [] : [next])),
    ...(own.changes.length === 0 ? {} : { project: draft.own.project }),
  };
}

const isMoved = ({ last, next }: Pair): boolean =>
  last === undefined || last.parent !== next.parent || last.deleted !== next.deleted;

/** A changed entity. `last` is the row that was read, undefined for a new one. */
type Pair = { readonly last: Item | undefined; readonly next: Item };

function findPairs({ items, read, renumbered, situation: { now } }: ActDraft): Pair[] {
  return [...items.values()].flatMap((placed): Pair[] => {
    const last = read.get(placed.id);
    if (last === placed) return [];
    // A new position number for the same place is written separately and is not a change.
    const item = last && renumbered.has(placed.id) ? { ...placed, position: last.position } : placed;
    if (!last) return item.deleted === 1 ? [] : [{ last, next: item }];
    if (last.deleted === item.deleted && Object.keys(diffFields(last, item)).length === 0) return [];
    return [{ last, next: { ...item, version: last.version + 1, updated_at: now } }];
  });
}

const isStructural = ({ last, next }: Pair): boolean =>
  last !== undefined &&
  (last.deleted !== next.deleted || last.parent !== next.parent || last.position !== next.position);

/** The fields of `next` that differ from `last`. */
function diffFields(last: Item, next: Item): Partial<Fields> {
  const before: Record<string, unknown> = toEntityFields(last);
  return Object.fromEntries(Object.entries(toEntityFields(next)).filter(([name, value]) => before[name] !== value));
}

function toChange({ last, next }: Pair): Change {
  const { id, title } = next;
  const about = { what: "entity", id, title } as const;
  if (!last || (last.deleted === 1 && next.deleted === 0)) {
    return { ...about, before: null, after: { ...toEntityFields(next) } };
  }
  if (next.deleted === 1) return { ...about, before: toOutline(last), after: null };
  return { ...about, before: { ...diffFields(next, last) }, after: { ...diffFields(last, next) } };
}

/** A deleted entity keeps its row, so its text is not copied into the log. */
function toOutline(item: Item): Record<string, unknown> {
  const { body: _, ...fields } = toEntityFields(item);
  return fields;
}

const insertItem = (item: Item): Write => {
  const body = item.body ?? "";
  return {
    do: "insert",
    table: "entities",
    row: { ...item, body, terms: toSearchTerms(item.title, body) },
  };
};

/** Sets only changed columns, so unchanged indexes are not rewritten. */
function updateItem(last: Item, next: Item, now: number): Write {
  const changed = Object.fromEntries(
    Object.entries(next).filter(([column, value]) => last[column as keyof Item] !== value),
  ) as Partial<RowOf<"entities">>;
  const hasNewText = last.title !== next.title || last.body !== next.body;
  const terms = hasNewText ? { terms: toSearchTerms(next.title, next.body ?? "") } : {};
  return {
    do: "update",
    table: "entities",
    set: { ...changed, ...terms, updated_at: now },
    where: { project: next.project, id: next.id, version: last.version },
    expectOne: true,
  };
}

/** Parents and link ends of new rows must still have the `deleted` flag that was read. */
function guard(draft: ActDraft, pairs: readonly Pair[]): Write[] {
  const written = new Set(pairs.map(({ next }) => next.id));
  const parents = pairs.flatMap(({ last, next }) => (last || next.parent === null ? [] : [next.parent]));
  const known = new Set(draft.situation.edges.map(toEdgeId));
  const ends = [...draft.edges].flatMap(([id, { source, target }]) => (known.has(id) ? [] : [source, target]));
  const { id: project } = draft.situation.project;
  return [...new Set([...parents, ...ends])]
    .filter((id) => !written.has(id))
    .map((id) => {
      const deleted = draft.items.get(id)?.deleted ?? 0;
      return {
        do: "update",
        table: "entities",
        set: { deleted },
        where: { project, id, deleted },
        expectOne: true,
      };
    });
}

const ownFields = ["name", "description", "instructions", "archived"] as const;

function diffProject({ own, situation: { project } }: ActDraft): { readonly changes: Change[] } {
  const names = ownFields.filter((name) => own.project[name] !== project[name]);
  if (names.length === 0) return { changes: [] };
  const pick = (row: RowOf<"projects">) =>
    Object.fromEntries(names.map((name) => [name, name === "archived" ? row.archived === 1 : row[name]]));
  const { id, name: title } = own.project;
  return { changes: [{ what: "project", id, title, before: pick(project), after: pick(own.project) }] };
}

const pickFile = ({ hash, bytes, lines }: File): File => ({ hash, bytes, lines });

function diffFiles({ files, situation }: ActDraft): { readonly changes: Change[]; readonly writes: Write[] } {
  const project = situation.project.id;
  const changes: Change[] = [];
  const writes: Write[] = [];
  const read = new Map(situation.files.map((file) => [file.path, file]));
  for (const path of new Set([...read.keys(), ...files.keys()])) {
    const [last, next] = [read.get(path), files.get(path)];
    if (last?.hash === next?.hash) continue;
    const [before, after] = [last ? pickFile(last) : null, next ? pickFile(next) : null];
    changes.push({ what: "file", id: path, title: path, before, after });
    if (!after) writes.push({ do: "delete", table: "files", where: { project, path } });
    else {
      const row = { project, path, ...after, seq: { seqOf: 0 }, updated_at: situation.now };
      writes.push({ do: "put", table: "files", row });
    }
  }
  return { changes, writes };
}

/** Added and removed edges. Edges of deleted entities are hidden, and shown again when both ends are restored. */
function diffEdges(
  draft: ActDraft,
  pairs: readonly Pair[],
): { readonly changes: readonly Change[]; readonly writes: readonly Write[] } {
  const { situation, edges } = draft;
  const project = situation.project.id;
  const read = new Map(situation.edges.map((edge) => [toEdgeId(edge), edge]));
  const added = [...edges].filter(([id]) => !read.has(id));
  const removed = [...read].filter(([id]) => !edges.has(id));
  const isAlive = (id: string): boolean => draft.items.get(id)?.deleted === 0;
  const shown = [...read.values()].filter(
    (edge) => edge.hidden === 1 && edges.has(toEdgeId(edge)) && isAlive(edge.source) && isAlive(edge.target),
  );
  const gone = pairs.filter(({ last, next }) => last?.deleted === 0 && next.deleted === 1);
  const toChange = (edge: EdgeKey, isAdded: boolean): Change => ({
    what: "edge",
    id: toEdgeId(edge),
    title: `"${toTitle(draft, edge.source)}" ${edge.relation} "${toTitle(draft, edge.target)}"`,
    before: isAdded ? null : toEdge({ project, ...edge }),
    after: isAdded ? toEdge({ project, ...edge }) : null,
  });
  return {
    changes: [...removed.map(([, edge]) => toChange(edge, false)), ...added.map(([, edge]) => toChange(edge, true))],
    writes: [
      ...removed.flatMap(([, edge]) => remove(edge)),
      ...gone.flatMap(({ next: { id } }): Write[] => [
        { do: "update", table: "edges", set: { hidden: 1 }, where: { project, source: id } },
        { do: "update", table: "edges", set: { hidden: 1 }, where: { project, target: id } },
      ]),
      ...shown.map((edge): Write => ({ do: "update", table: "edges", set: { hidden: 0 }, where: toKey(edge) })),
      ...added.map(([, { source, relation, target }]): Write => {
        const hidden = isAlive(source) && isAlive(target) ? 0 : 1;
        const row = { project, source, relation, target, hidden, created_at: situation.now };
        return { do: "insert", table: "edges", row };
      }),
    ],
  };
}

const toTitle = (draft: ActDraft, id: string): string => draft.items.get(id)?.title ?? id;

const toKey = ({ project, source, relation, target }: RowOf<"edges">) => ({ project, source, relation, target });

/** The update makes one of two concurrent removals fail. */
const remove = (edge: RowOf<"edges">): Write[] => [
  { do: "update", table: "edges", set: { hidden: edge.hidden }, where: toKey(edge), expectOne: true },
  { do: "delete", table: "edges", where: toKey(edge) },
];
