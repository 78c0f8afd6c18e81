import type { Query, Response as Answer } from "../../../protocol/api.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { Act, Change, EntityLine } from "../../../protocol/project/project.ts";
import { toTerms } from "../../rank/terms.ts";
import type { Reads } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { toAct, toEdge, toEntity, toEntityLine } from "./views.ts";

type EntityQuery = Query<"listEntities">;
type EntityList = {
  readonly entities: EntityLine[];
  readonly total: number;
  readonly nextCursor: string | null;
};

/** One page of the matching entities. A cursor is a sort key, so inserts and deletes between pages do not shift other rows. */
export async function listEntities(
  reads: Pick<Reads, "entityPage" | "entityTotal">,
  project: string,
  { kind, state, open, parentId, q, from, to, sort, cursor, limit }: EntityQuery,
): Promise<EntityList> {
  const terms = q === undefined ? undefined : [...new Set(toTerms(q))].slice(0, MAX_TERMS);
  if (q !== undefined && q.trim() !== "" && terms?.length === 0) return { entities: [], total: 0, nextCursor: null };
  const filter = {
    project,
    kind,
    state,
    ended: open === undefined ? undefined : open === "false",
    parent: parentId === ROOT ? null : parentId,
    terms,
    from,
    to,
  };
  const after = cursor === undefined ? null : parseCursor(cursor, sort);
  const rows = await reads.entityPage(filter, { sort, after, limit: limit + 1 });
  const isWhole = after === null && rows.length <= limit;
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    entities: page.map(toEntityLine),
    total: isWhole ? rows.length : await reads.entityTotal(filter),
    nextCursor: last ? toCursor(sort, [last.key0, last.key1, last.id]) : null,
  };
}

const ROOT = "root";
const MAX_TERMS = 16;

type Keys = readonly [string | number, string | number, string];

const toCursor = (sort: string, keys: Keys): string =>
  Buffer.from(JSON.stringify([sort, ...keys])).toString("base64url");

function parseCursor(cursor: string, sort: string): Keys {
  const [of, first, second, id] = parse(cursor);
  const isKey = (value: unknown) => (sort === "title" ? typeof value === "string" : typeof value === "number");
  if (of === sort && isKey(first) && typeof second === "number" && typeof id === "string") {
    return [first as string | number, second, id];
  }
  throw new ApiError(
    "invalid",
    "This cursor is invalid or belongs to another sort order. Start again without a cursor.",
  );
}

function parse(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

type OpenReads = Pick<Reads, "entity" | "entityLines" | "entityPage" | "edgesOf">;

/** Children, links and ancestors returned with an entity. */
const MAX_RELATED = 500;

/** One entity with its full text, path, children and links. */
export async function openEntity(reads: OpenReads, project: string, id: string): Promise<Answer<"getEntity">> {
  const row = await reads.entity(project, id);
  if (!row || row.deleted === 1) throw new ApiError("not-found", "Not found.");
  const page = { sort: "position", after: null, limit: MAX_RELATED } as const;
  const children = await reads.entityPage({ project, parent: id }, page);
  const edges = (await reads.edgesOf(project, [id], MAX_RELATED)).slice(0, MAX_RELATED);
  const others = await reads.entityLines(project, [...new Set(edges.map((edge) => toOther(edge, id)))]);
  const byId = new Map(others.map((other) => [other.id, toEntityLine(other)]));
  const links = edges.flatMap((edge) => {
    const other = byId.get(toOther(edge, id));
    return other ? [{ edge: toEdge(edge), other }] : [];
  });
  const path = await readPath(reads, project, row.parent);
  return { entity: toEntity(row), path: path.map(toEntityLine), children: children.map(toEntityLine), links };
}

const toOther = ({ source, target }: RowOf<"edges">, id: string): string => (source === id ? target : source);

/** Ancestors, from the root down. */
async function readPath(reads: Pick<Reads, "entityLines">, project: string, id: string | null) {
  const path = [];
  for (let next = id; next !== null && path.length < MAX_RELATED;) {
    const [row] = await reads.entityLines(project, [next]);
    if (!row) break;
    path.unshift(row);
    next = row.parent;
  }
  return path;
}

type GraphReads = Pick<Reads, "entityLines" | "edgesOf" | "edgesAmong" | "mostLinked" | "countEdges" | "entityTotal">;

/** Edges returned per entity. */
const EDGES_PER_ENTITY = 8;

/** Entities and the edges among them: those within `depth` steps of `around`, or the most linked ones. */
export async function readGraph(
  reads: GraphReads,
  project: string,
  { around, depth, limit }: Query<"getGraph">,
): Promise<Answer<"getGraph">> {
  const ids =
    around === undefined
      ? await findHubs(reads, project, limit)
      : await findNear(reads, project, around, { depth, limit });
  const rows = await reads.entityLines(project, ids);
  if (around !== undefined && !rows.some(({ id }) => id === around)) {
    throw new ApiError("not-found", "Not found.");
  }
  const byId = new Map(rows.map((row) => [row.id, toEntityLine(row)]));
  const edges = await reads.edgesAmong(project, [...byId.keys()], limit * EDGES_PER_ENTITY);
  return {
    entities: ids.flatMap((id) => byId.get(id) ?? []),
    edges: edges.map(toEdge),
    totals: { entities: await reads.entityTotal({ project }), edges: await reads.countEdges(project) },
  };
}

const findHubs = async (reads: GraphReads, project: string, limit: number): Promise<string[]> =>
  (await reads.mostLinked(project, limit)).map(({ id }) => id);

/** Nearest first. */
async function findNear(
  reads: GraphReads,
  project: string,
  around: string,
  { depth, limit }: { readonly depth: number; readonly limit: number },
): Promise<string[]> {
  const found = new Set([around]);
  let level = [around];
  for (let step = 0; step < depth && level.length > 0 && found.size < limit; step += 1) {
    const edges = await reads.edgesOf(project, level, limit * EDGES_PER_ENTITY);
    const next = new Set(edges.flatMap(({ source, target }) => [source, target]).filter((id) => !found.has(id)));
    level = [...next].slice(0, limit - found.size);
    for (const id of level) found.add(id);
  }
  return [...found];
}

type ActReads = Pick<Reads, "acts" | "actsOn" | "actsOfRun" | "changesOfActs" | "act">;

const MAX_TEXT = 400;
const MAX_CHANGES = 100;

/** Newest first. Long texts and change lists are cut; `getAct` returns them in full. */
export async function listActs(
  reads: ActReads,
  project: string,
  { entityId, path, runId, before = NEWEST, limit }: Query<"listActs">,
): Promise<{ acts: Act[] }> {
  const rows = await find();
  const changes = await reads.changesOfActs(
    project,
    rows.map(({ id }) => id),
    MAX_CHANGES,
  );
  const byAct = Map.groupBy(changes, ({ act }) => act);
  return { acts: rows.map((row) => cutAct(toAct(row, byAct.get(row.id) ?? []))) };

  function find(): Promise<readonly RowOf<"acts">[]> {
    const window = { project, before, limit };
    if (runId !== undefined) return reads.actsOfRun(window, runId);
    if (entityId !== undefined) return reads.actsOn(window, { what: "entity", target: entityId });
    if (path !== undefined) return reads.actsOn(window, { what: "file", target: path });
    return reads.acts(window);
  }
}

export async function getAct(reads: ActReads, project: string, id: string): Promise<Act> {
  const row = await reads.act(project, id);
  if (!row) throw new ApiError("not-found", "Not found.");
  return toAct(row, await reads.changesOfActs(project, [id]));
}

const NEWEST = 2_147_483_647;

const cutAct = (act: Act): Act => ({
  ...act,
  changes: act.changes.map((change) => ({ ...change, before: cutTexts(change.before), after: cutTexts(change.after) })),
});

const cutTexts = (fields: Change["before"]): Change["before"] =>
  fields && Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cutText(value)]));

const cutText = (value: unknown): unknown =>
  typeof value === "string" && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT).toWellFormed()}...` : value;
