import type { OutlineRow, Reads } from "../../store/contract.ts";
import type { Gathered } from "./gather.ts";

/** What fits the exchange and was not gathered, by id, with how well. */
export type Fitting = ReadonlyMap<string, { readonly row: OutlineRow; readonly share: number }>;

/** A word in more titles than these is not what sets the question apart. */
const RARE = 4;
const MOST_WORDS = 4;
const SHORTEST = 4;
const MOST_FOUND = 6;

const NOTHING: Fitting = new Map();
const known = new WeakMap<Gathered, { readonly exchange: string; readonly fitting: Promise<Fitting> }>();

/**
 * Only the newest of a large project are held. What is asked about may be older: it is looked up by the words that hardly any
 * of those have. The steps of an answer ask the same again, so the last answer is kept.
 */
export function findFitting(
  read: Pick<Reads, "entityPage">,
  projectId: string,
  gathered: Gathered,
  exchange: string,
): Promise<Fitting> {
  const last = known.get(gathered);
  if (last?.exchange === exchange) return last.fitting;
  const fitting = search(read, projectId, gathered, exchange);
  known.set(gathered, { exchange, fitting });
  // A failure is whoever's who waits for it; it is not kept.
  fitting.catch(() => known.delete(gathered));
  return fitting;
}

async function search(
  read: Pick<Reads, "entityPage">,
  projectId: string,
  gathered: Gathered,
  exchange: string,
): Promise<Fitting> {
  const words = isAllHeld(gathered) ? [] : findWords(gathered, exchange);
  if (words.length === 0) return NOTHING;
  const pages = await Promise.all(
    words.map((word) =>
      read.entityPage({ project: projectId, terms: [word] }, { sort: "updated", after: null, limit: MOST_FOUND }),
    ),
  );
  const telling = pages.filter((page) => page.length > 0).length;
  const found = new Map<string, { row: OutlineRow; share: number }>();
  for (const row of pages.flat()) {
    if (gathered.rows.has(row.id)) continue;
    found.set(row.id, { row, share: (found.get(row.id)?.share ?? 0) + 1 / telling });
  }
  return found;
}

const isAllHeld = ({ rows, counts }: Gathered): boolean =>
  rows.size >= [...counts.values()].reduce((sum, { total }) => sum + total, 0);

function findWords({ index, titles }: Gathered, exchange: string): readonly string[] {
  const counted = index()
    .weigh(exchange)
    .words.filter(({ stem }) => stem.length >= SHORTEST)
    .map(({ stem }) => ({ stem, titles: countHaving(titles(), stem) }));
  return counted
    .filter((word) => word.titles <= RARE)
    .toSorted((a, b) => a.titles - b.titles || b.stem.length - a.stem.length || (a.stem < b.stem ? -1 : 1))
    .slice(0, MOST_WORDS)
    .map(({ stem }) => stem);
}

const countHaving = (titles: readonly string[], stem: string): number => {
  let count = 0;
  for (const title of titles) if (title.includes(stem) && (count += 1) > RARE) break;
  return count;
};
