import { opensMessage, speakerOf, type Docs, type IndexedDoc, type RecallPassage } from "./ranking/docs.ts";
import { readPostings, type Filling } from "./ranking/postings.ts";
import { type FindTerm, type TermPositions } from "./ranking/score.ts";
import type { Reads, Segment } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { BLOCK_DOCS, fromBase64 } from "./blocks.ts";
import { layOut, type PathLayout, type List } from "./layout.ts";
import { toParts, toPassages } from "./message-passages.ts";

export type RecallReads = Pick<
  Reads,
  | "segments"
  | "partsOf"
  | "recallStates"
  | "recallDocs"
  | "recallPostings"
  | "recallMessages"
  | "recallTexts"
  | "recallParts"
  | "recallArtifacts"
>;

export type FoundPassage = {
  readonly message: { readonly id: string; readonly depth: number; readonly at: number };
  readonly passage: RecallPassage;
};

/** A searchable path: the indexed passages and the few pending ones. */
export type PathIndex = {
  readonly docs: Docs;
  /** Reads the postings of these terms. For terms in more than `share` of the passages, only their number. */
  readonly find: (terms: readonly string[], share: number) => Promise<FindTerm>;
  /** The texts of these passages. */
  readonly load: (docs: readonly number[]) => Promise<ReadonlyMap<number, FoundPassage>>;
};

type IndexedPath = {
  readonly threadId: string;
  readonly branchId: string;
  readonly upTo: number;
  readonly cache?: PathCache | undefined;
};
const WHOLE = Number.MAX_SAFE_INTEGER;

/** Recently searched paths, by thread and branch. An entry is replaced when its path has changed. */
export type PathCache = Map<string, CachedPath>;
type CachedPath = { readonly state: string; readonly branches: readonly string[]; readonly laid: PathLayout };
type OpenedIndex = PathIndex & { readonly found: FindTerm };
const MOST_CACHED = 16;
/** Postings of a term in more passages of a block than this are not read. */
const DENSEST = BLOCK_DOCS / 2;

/**
 * Opens a path and finds the first terms. For a cached path everything is read concurrently: if its version is unchanged
 * afterwards, the postings belong to it.
 */
export async function openPathIndex(
  read: RecallReads,
  place: IndexedPath,
  terms: readonly string[],
): Promise<OpenedIndex> {
  const { threadId, branchId, upTo, cache } = place;
  const key = `${threadId}/${branchId}`;
  const cached = cache?.get(key);
  const [segments, seen, early] = await Promise.all([
    read.segments({ thread: threadId, branch: branchId, upTo }, WHOLE),
    cached ? read.recallStates(threadId, cached.branches) : [],
    cached ? read.recallPostings(threadId, terms, DENSEST) : [],
  ]);
  if (cached && toState(segments, seen) === cached.state)
    return { ...toIndex(cached.laid), found: findPlaces(cached.laid.lists, early) };

  const branches = segments.map(({ branch }) => branch);
  const states = await read.recallStates(threadId, branches);
  const laid = await layOut(read, threadId, segments, states);
  cache?.delete(key);
  cache?.set(key, { state: toState(segments, states), branches, laid });
  const [oldest] = cache?.keys() ?? [];
  if (cache && cache.size > MOST_CACHED && oldest !== undefined) cache.delete(oldest);
  return { ...toIndex(laid), found: findPlaces(laid.lists, await read.recallPostings(threadId, terms, DENSEST)) };

  function toIndex(one: PathLayout): PathIndex {
    return {
      docs: one.docs,
      find: async (some, share) =>
        findPlaces(one.lists, await read.recallPostings(threadId, some, Math.ceil(BLOCK_DOCS * share))),
      load: (wanted) => loadFound(read, threadId, one, wanted),
    };
  }
}

const toState = (segments: readonly Segment[], states: readonly RowOf<"recall_states">[]): string =>
  JSON.stringify([segments, states]);

type PostingRow = Omit<RowOf<"recall_postings">, "thread">;

/** Postings in the order of the path. The rows of a term are unpacked when they are read. */
function findPlaces(lists: readonly List[], rows: readonly PostingRow[]): FindTerm {
  const rowsOf = Map.groupBy(rows, ({ term }) => term);
  return (term) => {
    const own = rowsOf.get(term) ?? [];
    let size = own.reduce((sum, { count }) => sum + count, 0);
    for (const { pending = [] } of lists) for (const { terms } of pending) if (terms.has(term)) size += 1;
    if (size === 0) return undefined;
    if (own.some(({ body }) => body === "")) return { size, read: () => undefined };
    return { size, read: () => readPlaces(lists, own, term, size) };
  };
}

function readPlaces(
  lists: readonly List[],
  rows: readonly PostingRow[],
  term: string,
  most: number,
): TermPositions | undefined {
  const into: Filling = { docs: new Int32Array(most), counts: new Uint16Array(most), size: 0 };
  for (const { branch, first, count: limit, pending } of lists) {
    if (pending) addPending(pending, term, first, into);
    else
      for (const row of rows) {
        const start = row.block * BLOCK_DOCS;
        if (row.branch === branch && start < limit)
          readPostings(fromBase64(row.body), limit - start, first + start, into);
      }
  }
  const { docs, counts, size } = into;
  return size === 0 ? undefined : { docs: docs.subarray(0, size), counts: counts.subarray(0, size) };
}

function addPending(pending: readonly IndexedDoc[], term: string, first: number, into: Filling): void {
  for (const [n, { terms }] of pending.entries()) {
    const count = terms.get(term);
    if (count === undefined) continue;
    into.docs[into.size] = first + n;
    into.counts[into.size] = count;
    into.size += 1;
  }
}

async function loadFound(
  read: RecallReads,
  thread: string,
  { docs, lists }: PathLayout,
  wanted: readonly number[],
): Promise<ReadonlyMap<number, FoundPassage>> {
  const placed = wanted.flatMap((doc) => {
    const list = lists.find(({ first, count }) => doc >= first && doc < first + count);
    if (!list) return [];
    let start = doc;
    while (start > list.first && !opensMessage(docs, start)) start -= 1;
    return [{ doc, branch: list.branch, depth: docs.depths[doc] ?? 0, nth: doc - start }];
  });
  const found = new Map<number, FoundPassage>();
  await Promise.all(
    [...Map.groupBy(placed, ({ branch }) => branch)].map(async ([branch, here]) => {
      const depths = [...new Set(here.map(({ depth }) => depth))].toSorted((a, b) => a - b);
      const rows = Map.groupBy(await read.recallTexts(thread, branch, depths), ({ depth }) => depth);
      // Artifacts come last, so they are read only for passages of tools.
      const ids = here.flatMap(({ doc, depth }) =>
        speakerOf(docs, doc) === "tool" ? [rows.get(depth)?.[0]?.message ?? ""] : [],
      );
      const kept = Map.groupBy(await read.recallArtifacts(thread, [...new Set(ids)]), ({ message }) => message);
      for (const [depth, wantedHere] of Map.groupBy(here, (one) => one.depth)) {
        const own = rows.get(depth);
        if (!own?.[0]) continue;
        const { message: id, role, at } = own[0];
        const passages = toPassages(role, toParts(own), kept.get(id) ?? []);
        for (const { doc, nth } of wantedHere) {
          const passage = passages[nth];
          if (passage) found.set(doc, { message: { id, depth, at }, passage });
        }
      }
    }),
  );
  return found;
}
