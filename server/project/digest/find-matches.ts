import type { OutlineRow, Reads } from "../../store/contract.ts";
import type { ProjectSnapshot } from "./snapshot.ts";

/** Entities outside the snapshot that match the exchange, by id. `share`: the share of the searched words that match. */
export type Matches = ReadonlyMap<string, { readonly row: OutlineRow; readonly share: number }>;

/** A word in more titles than this is too common to search for. */
const RARE = 4;
const MAX_WORDS = 4;
const MIN_LENGTH = 4;
const MAX_FOUND = 6;

const NOTHING: Matches = new Map();
const known = new WeakMap<ProjectSnapshot, { readonly exchange: string; readonly matches: Promise<Matches> }>();

/**
 * The snapshot of a large project has only its newest entities. Older ones are searched by words of the exchange that are rare
 * in the snapshot. The last result is cached, because every step of an answer makes the same search.
 */
export function findMatches(
  read: Pick<Reads, "entityPage">,
  projectId: string,
  snapshot: ProjectSnapshot,
  exchange: string,
): Promise<Matches> {
  const last = known.get(snapshot);
  if (last?.exchange === exchange) return last.matches;
  const matches = search(read, projectId, snapshot, exchange);
  known.set(snapshot, { exchange, matches });
  // The caller handles the failure; it is not cached.
  matches.catch(() => known.delete(snapshot));
  return matches;
}

async function search(
  read: Pick<Reads, "entityPage">,
  projectId: string,
  snapshot: ProjectSnapshot,
  exchange: string,
): Promise<Matches> {
  const words = isComplete(snapshot) ? [] : findWords(snapshot, exchange);
  if (words.length === 0) return NOTHING;
  const pages = await Promise.all(
    words.map((word) =>
      read.entityPage({ project: projectId, terms: [word] }, { sort: "updated", after: null, limit: MAX_FOUND }),
    ),
  );
  const matching = pages.filter((page) => page.length > 0).length;
  const found = new Map<string, { row: OutlineRow; share: number }>();
  for (const row of pages.flat()) {
    if (snapshot.rows.has(row.id)) continue;
    found.set(row.id, { row, share: (found.get(row.id)?.share ?? 0) + 1 / matching });
  }
  return found;
}

const isComplete = ({ rows, counts }: ProjectSnapshot): boolean =>
  rows.size >= [...counts.values()].reduce((sum, { total }) => sum + total, 0);

function findWords({ index, titles }: ProjectSnapshot, exchange: string): readonly string[] {
  const counted = index()
    .weigh(exchange)
    .words.filter(({ stem }) => stem.length >= MIN_LENGTH)
    .map(({ stem }) => ({ stem, titles: countHaving(titles(), stem) }));
  return counted
    .filter((word) => word.titles <= RARE)
    .toSorted((a, b) => a.titles - b.titles || b.stem.length - a.stem.length || (a.stem < b.stem ? -1 : 1))
    .slice(0, MAX_WORDS)
    .map(({ stem }) => stem);
}

const countHaving = (titles: readonly string[], stem: string): number => {
  let count = 0;
  for (const title of titles) if (title.includes(stem) && (count += 1) > RARE) break;
  return count;
};
