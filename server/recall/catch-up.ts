import { DOC_BYTES, indexMessage, type IndexedDoc, type SessionStart } from "./ranking/docs.ts";
import { appendPostings, type Posting } from "./ranking/postings.ts";
import { recallParameters } from "./ranking/parameters.ts";
import type { Log } from "../log/log.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { BLOCK_DOCS, fromSessions, toBase64, toSessions, fromBase64 } from "./blocks.ts";
import { loadPassages } from "./message-passages.ts";

type Deps = { readonly read: Reads; readonly log: Pick<Log, "commit">; readonly signal?: AbortSignal };
type Extent = {
  readonly thread: string;
  readonly branch: string;
  readonly from: number;
  readonly to: number;
  /** The fewest messages that an index starts with; later it waits for `FEWEST` new ones. null: index any number. */
  readonly fewestFirst: number | null;
};

/** Fewer new messages are indexed later together, so that the row of each term is written less often. */
const FEWEST = 8;
const AT_ONCE = 128;
/** Rows per commit. A message sent during indexing waits for one such commit. */
const ROWS_AT_ONCE = 64;

/**
 * Indexes a branch up to a depth. Every commit increments the version it has read, so of two concurrent writers one continues and
 * the other stops. After a crash there may be postings beyond the stored state. Readers ignore them, and they are overwritten.
 */
export async function indexBranch(deps: Deps, extent: Extent): Promise<void> {
  while (!deps.signal?.aborted) {
    const { thread, branch, from, to, fewestFirst } = extent;
    const [known] = await deps.read.recallStates(thread, [branch]);
    const fewest = fewestFirst === null ? 1 : known || from > 0 ? FEWEST : fewestFirst;
    if (to - (known?.depth ?? from) < fewest) return;
    const state = known ?? (await createState(deps, extent));
    if (!state) return;
    const messages = await deps.read.recallMessages({ thread, branch, above: state.depth, upTo: to }, AT_ONCE);
    if (messages.length === 0) return;
    const done = await indexMessages(deps, state, messages);
    if (!done) return;
  }
}

async function createState(
  { log }: Deps,
  { thread, branch, from }: Extent,
): Promise<RowOf<"recall_states"> | undefined> {
  const state = { thread, branch, version: 0, depth: from, docs: 0 };
  const made = await log.commit({ events: [], writes: [{ do: "insert", table: "recall_states", row: state }] });
  return made.ok ? state : undefined;
}

/** False if a concurrent writer was faster, or the thread was deleted. */
async function indexMessages(
  { read, log }: Deps,
  state: RowOf<"recall_states">,
  messages: readonly RowOf<"messages">[],
): Promise<boolean> {
  const { thread, branch } = state;
  const passages = await loadPassages(read, thread, messages);
  const docs: IndexedDoc[] = [];
  const opened: { readonly doc: number; readonly at: number }[] = [];
  for (const { id, created_at: at } of messages) {
    opened.push({ doc: state.docs + docs.length, at });
    docs.push(...indexMessage(passages.get(id) ?? []));
  }
  let version = state.version;
  const commit = async (writes: readonly Write[], set: Partial<RowOf<"recall_states">> = {}): Promise<boolean> => {
    const where = { thread, branch, version };
    version += 1;
    const raise: Write = { do: "update", table: "recall_states", set: { ...set, version }, where, expectOne: true };
    return (await log.commit({ events: [], writes: [raise, ...writes] })).ok;
  };

  const last = state.docs + docs.length;
  for (let block = Math.floor(state.docs / BLOCK_DOCS); block * BLOCK_DOCS < last; block += 1) {
    const places = collectPlaces(docs, state.docs, block);
    const terms = [...places.keys()].toSorted();
    for (let n = 0; n < terms.length; n += ROWS_AT_ONCE) {
      const some = terms.slice(n, n + ROWS_AT_ONCE);
      const written = await read.recallBlock({ thread, branch, block }, some);
      const bodies = new Map(written.map(({ term, body }) => [term, body]));
      const writes = some.map((term): Write => {
        const before = fromBase64(bodies.get(term) ?? "");
        // Postings that a crash left beyond the state are dropped.
        const { bytes, count } = appendPostings(before, state.docs - block * BLOCK_DOCS, places.get(term) ?? []);
        const row = { thread, term, branch, block, count, body: toBase64(bytes) };
        return { do: "put", table: "recall_postings", row };
      });
      if (!(await commit(writes))) return false;
    }
  }
  const rows = await toDocRows(read, state, docs, opened);
  const depth = messages.at(-1)?.depth ?? state.depth;
  return commit(
    rows.map((row): Write => ({ do: "put", table: "recall_docs", row })),
    { depth, docs: last },
  );
}

/** The postings of each term in a block, relative to its start. */
function collectPlaces(docs: readonly IndexedDoc[], first: number, block: number): ReadonlyMap<string, Posting[]> {
  const places = new Map<string, Posting[]>();
  for (const [n, { terms }] of docs.entries()) {
    const doc = first + n - block * BLOCK_DOCS;
    if (doc < 0 || doc >= BLOCK_DOCS) continue;
    for (const [term, count] of terms) {
      const known = places.get(term);
      if (known) known.push({ doc, count });
      else places.set(term, [{ doc, count }]);
    }
  }
  return places;
}

async function toDocRows(
  read: Reads,
  { thread, branch, docs: first }: RowOf<"recall_states">,
  docs: readonly IndexedDoc[],
  opened: readonly SessionStart[],
): Promise<readonly RowOf<"recall_docs">[]> {
  const rows: RowOf<"recall_docs">[] = [];
  const last = first + docs.length;
  let before = await findLastSession(read, thread, branch, first);
  for (let block = Math.floor(first / BLOCK_DOCS); block * BLOCK_DOCS < last; block += 1) {
    const start = block * BLOCK_DOCS;
    const old = start < first ? await read.recallDocBlock(thread, branch, block) : undefined;
    const kept = Math.max(0, first - start);
    const added = docs.slice(Math.max(0, start - first), start + BLOCK_DOCS - first);
    const body = new Uint8Array((kept + added.length) * DOC_BYTES);
    if (old) body.set(fromBase64(old.body).subarray(0, kept * DOC_BYTES));
    body.set(
      added.flatMap(({ bytes }) => bytes),
      kept * DOC_BYTES,
    );
    const sessions = old ? toSessions(old.sessions).filter(({ doc }) => doc < first) : [];
    const starts: SessionStart[] = [...sessions];
    for (const one of opened) {
      if (one.doc < start || one.doc >= start + BLOCK_DOCS) continue;
      if (!before || opensSession(before, one)) starts.push(one);
      before = { doc: starts.at(-1)?.doc ?? before?.doc ?? one.doc, at: one.at };
    }
    rows.push({ thread, branch, block, body: toBase64(body), sessions: fromSessions(starts) });
  }
  return rows;
}

const opensSession = (last: SessionStart, next: SessionStart): boolean =>
  next.at - last.at >= recallParameters.sessionGapMs || next.doc - last.doc >= recallParameters.sessionPassages;

/** The first passage of the open session, with the time of the newest indexed message. */
async function findLastSession(
  read: Reads,
  thread: string,
  branch: string,
  first: number,
): Promise<SessionStart | undefined> {
  if (first === 0) return undefined;
  const [state] = await read.recallStates(thread, [branch]);
  const depth = state?.depth ?? 0;
  const [message] = await read.recallMessages({ thread, branch, above: depth - 1, upTo: depth }, 1);
  const row = await read.recallDocBlock(thread, branch, Math.floor((first - 1) / BLOCK_DOCS));
  const start = row && toSessions(row.sessions).findLast(({ doc }) => doc < first);
  return { doc: start?.doc ?? 0, at: message?.created_at ?? start?.at ?? 0 };
}
