import { findKind } from "../../../protocol/project/kinds.ts";
import { workspaceLimits } from "../../../protocol/workspace/limits.ts";
import { toIndex, type Index } from "../../rank/rank.ts";
import type {
  ActRow,
  FileRow,
  HubRow,
  LinkRow,
  OutlineRow,
  Reads,
  RelationRow,
  DigestTimes,
  TouchedRow,
} from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { DAY_MS } from "../../lib/clock.ts";

export type Count = { readonly total: number; readonly open: number; readonly overdue: number };
type Hub = { readonly row: OutlineRow; readonly links: number };
export type Links = { readonly relations: readonly RelationRow[]; readonly hubs: readonly Hub[] };
type LinkCounts = { readonly relations: readonly RelationRow[]; readonly degrees: readonly HubRow[] };

/** Data that digests are made from. It does not depend on the exchange, so it can be cached by seq. */
export type ProjectSnapshot = {
  readonly times: DigestTimes;
  readonly rows: ReadonlyMap<string, OutlineRow>;
  readonly counts: ReadonlyMap<string, Count>;
  readonly links: Links;
  readonly linkCounts: LinkCounts;
  readonly acts: readonly ActRow[];
  readonly files: readonly FileRow[];
  /** Index over the titles of `rows`, in their order. Both are created on first use. */
  readonly index: () => Index;
  readonly titles: () => readonly string[];
};

export type Focus = {
  readonly entity: RowOf<"entities">;
  readonly links: readonly { readonly edge: LinkRow; readonly other: OutlineRow }[];
  readonly total: number;
};

type DigestReads = Pick<Reads, Extract<keyof Reads, `digest${string}` | "project" | "entity">>;

const EVENT_DAYS = { before: 7, after: 14 };
/** Rows loaded per kind: more than a digest lists, so that the best can be chosen. */
const POOL = { all: { newest: 200, dated: 60 }, aims: { newest: 60, dated: 20 } };
const HUBS = 5;
const ACTS = { all: 6, aims: 3 };
const MAX_LINKS = 40;
const MAX_TOUCHED = 400;
/** Levels of the document tree that a digest shows. */
const DEEPEST = 6;

type CachedSnapshot = { readonly seq: number; readonly value: ProjectSnapshot };

export async function loadSnapshot(
  read: DigestReads,
  projectId: string,
  {
    scope,
    now,
    cached,
  }: { readonly scope: "all" | "aims"; readonly now: number; readonly cached: CachedSnapshot | undefined },
): Promise<ProjectSnapshot> {
  const times = { now, from: now - EVENT_DAYS.before * DAY_MS, to: now + EVENT_DAYS.after * DAY_MS };
  const isAll = scope === "all";
  const reused = cached && isAll ? await findReusable(read, projectId, cached) : NOTHING;
  const [found, counts, acts, linkCounts, files] = await Promise.all([
    read.digestOutline(projectId, scope, times, POOL[scope]),
    read.digestCounts(projectId, now),
    read.digestActs(projectId, ACTS[scope]),
    isAll ? (reused.linkCounts ?? countLinks(read, projectId)) : NO_LINKS,
    isAll ? (reused.files ?? read.digestFiles(projectId, workspaceLimits.files)) : [],
  ]);
  const rows = await withAncestors(read, projectId, new Map(found.map((row) => [row.id, row])));
  let index: Index | undefined;
  let titles: readonly string[] | undefined;
  return {
    times,
    rows,
    counts: toCounts(counts),
    links: await withTitles(read, projectId, linkCounts),
    linkCounts,
    acts,
    files,
    index: () => (index ??= toIndex([...rows.values()].map(({ title }) => title))),
    titles: () => (titles ??= [...rows.values()].map(({ title }) => title.toLowerCase())),
  };
}

export async function loadFocus(read: DigestReads, projectId: string, focusId: string): Promise<Focus | undefined> {
  const [entity, edges, total] = await Promise.all([
    read.entity(projectId, focusId),
    read.digestLinks(projectId, focusId, MAX_LINKS),
    read.digestLinkCount(projectId, focusId),
  ]);
  if (!entity || entity.deleted === 1) return undefined;
  const otherOf = ({ source, target }: LinkRow): string => (source === focusId ? target : source);
  const others = await read.digestEntities(projectId, [...new Set(edges.map(otherOf))]);
  const byId = new Map(others.map((row) => [row.id, row]));
  const links = edges.flatMap((edge) => {
    const other = byId.get(otherOf(edge));
    return other ? [{ edge, other }] : [];
  });
  return { entity, links, total };
}

const NO_LINKS: LinkCounts = { relations: [], degrees: [] };

type ReusableParts = { readonly linkCounts: LinkCounts | undefined; readonly files: readonly FileRow[] | undefined };
const NOTHING: ReusableParts = { linkCounts: undefined, files: undefined };

/** Parts of the cached snapshot that are still valid or can be updated. Counting all edges costs more than all other reads. */
async function findReusable(
  read: DigestReads,
  projectId: string,
  { seq, value: { linkCounts, files } }: CachedSnapshot,
): Promise<ReusableParts> {
  const touched = await read.digestTouched(projectId, seq, MAX_TOUCHED);
  if (touched.length === 0 || touched.length >= MAX_TOUCHED) return NOTHING;
  return {
    linkCounts: touched.some(isHiding) ? undefined : withEdges(linkCounts, touched),
    files: touched.some(({ what }) => what === "file") ? undefined : files,
  };
}

/** Deleting or restoring an entity hides or shows its edges without a change record. */
const isHiding = ({ what, has, undoes }: TouchedRow): boolean => undoes !== null || (what === "entity" && has === 0);

/** Counts of the known hubs stay exact. An entity that overtakes them is only noticed at the next full count. */
function withEdges(links: LinkCounts, touched: readonly TouchedRow[]): LinkCounts | undefined {
  const edges = touched.filter(({ what, had, has }) => what === "edge" && had !== has);
  if (edges.length === 0) return links;
  const counts = new Map(links.relations.map(({ relation, n }) => [relation, n]));
  if (sum(counts.values()) < WORTH_KEEPING) return undefined;
  const degrees = new Map<string, number>();
  const add = (to: Map<string, number>, key: string, by: number) => void to.set(key, (to.get(key) ?? 0) + by);
  for (const { target: edge, had, has } of edges) {
    const [source = "", relation = "", target = ""] = edge.split(" ");
    add(counts, relation, has - had);
    for (const end of [source, target]) add(degrees, end, has - had);
  }
  const relations = [...counts].map(([relation, n]) => ({ relation, n })).filter(({ n }) => n > 0);
  return {
    relations: relations.toSorted((a, b) => b.n - a.n || (a.relation < b.relation ? -1 : 1)),
    degrees: links.degrees
      .map(({ id, n }) => ({ id, n: n + (degrees.get(id) ?? 0) }))
      .toSorted((a, b) => b.n - a.n || (a.id < b.id ? -1 : 1)),
  };
}

/** Below this number of edges a full count is cheap. */
const WORTH_KEEPING = 2_000;
const sum = (numbers: Iterable<number>): number => [...numbers].reduce((all, one) => all + one, 0);

async function countLinks(read: DigestReads, projectId: string): Promise<LinkCounts> {
  const [relations, degrees] = await Promise.all([read.digestRelations(projectId), read.digestHubs(projectId, HUBS)]);
  return { relations, degrees };
}

async function withTitles(read: DigestReads, projectId: string, { relations, degrees }: LinkCounts): Promise<Links> {
  const rows = await read.digestEntities(
    projectId,
    degrees.map(({ id }) => id),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const hubs = degrees.flatMap(({ id, n: links }) => {
    const row = byId.get(id);
    return row ? [{ row, links }] : [];
  });
  return { relations, hubs };
}

/** Adds the ancestors of documents, which are listed as a tree. */
async function withAncestors(
  read: DigestReads,
  projectId: string,
  rows: Map<string, OutlineRow>,
): Promise<ReadonlyMap<string, OutlineRow>> {
  for (let level = 0; level < DEEPEST; level += 1) {
    const missing = new Set<string>();
    for (const { kind, parent } of rows.values()) {
      if (kind === "document" && parent !== null && !rows.has(parent)) missing.add(parent);
    }
    if (missing.size === 0) break;
    const found = await read.digestEntities(projectId, [...missing]);
    if (found.length === 0) break;
    for (const row of found) rows.set(row.id, row);
  }
  return rows;
}

function toCounts(rows: Awaited<ReturnType<DigestReads["digestCounts"]>>): ReadonlyMap<string, Count> {
  const counts = new Map<string, Count>();
  for (const { kind, ended, n, overdue } of rows) {
    const { total, open, overdue: late } = counts.get(kind) ?? { total: 0, open: 0, overdue: 0 };
    const isDue = findKind(kind)?.ends === "due";
    counts.set(kind, {
      total: total + n,
      open: open + (ended === 0 ? n : 0),
      overdue: late + (isDue ? overdue : 0),
    });
  }
  return counts;
}
