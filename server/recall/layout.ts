import {
  countDocs,
  DOC_BYTES,
  indexMessage,
  toDocs,
  type DocList,
  type Docs,
  type IndexedDoc,
  type SessionStart,
} from "./ranking/docs.ts";
import { recallParameters } from "./ranking/parameters.ts";
import type { Reads, Segment } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { BLOCK_DOCS, toSessions, fromBase64 } from "./blocks.ts";
import { loadPassages } from "./message-passages.ts";

/** Consecutive passages of one branch, either indexed or pending, and the number of the first. */
export type List = DocList & {
  readonly branch: string;
  readonly first: number;
  readonly pending?: readonly IndexedDoc[];
};
export type PathLayout = { readonly docs: Docs; readonly lists: readonly List[] };
type LayReads = Pick<Reads, "recallDocs" | "recallMessages" | "recallParts" | "recallArtifacts">;

/** At most this many messages are searched before they are indexed. */
const MOST_PENDING = 64;

/** The passages of a path, oldest first. For each branch the indexed ones, then the pending ones. */
export async function layOut(
  read: LayReads,
  thread: string,
  segments: readonly Segment[],
  states: readonly RowOf<"recall_states">[],
): Promise<PathLayout> {
  const stateOf = new Map(states.map((state) => [state.branch, state]));
  const rows = await read.recallDocs(thread, [...stateOf.keys()]);
  const blocks = Map.groupBy(rows, ({ branch }) => branch);
  const pending = await loadPending(read, thread, segments, stateOf);
  const lists: List[] = [];
  let first = 0;
  const push = (list: Omit<List, "first">): void => {
    if (list.count === 0) return;
    lists.push({ ...list, first });
    first += list.count;
  };
  for (const segment of segments.toReversed()) {
    const { branch } = segment;
    const state = stateOf.get(branch);
    if (state) push({ ...toList(segment, state, blocks.get(branch) ?? []), branch });
    const rest = pending.get(branch);
    if (rest) push({ ...rest, branch });
  }
  return { docs: toDocs(lists, recallParameters.sessionGapMs), lists };
}

/** The indexed passages of a branch, up to where the path leaves it. */
function toList(
  { from, to }: Segment,
  { depth, docs }: RowOf<"recall_states">,
  rows: readonly Pick<RowOf<"recall_docs">, "block" | "body" | "sessions">[],
): DocList {
  const bytes = new Uint8Array(docs * DOC_BYTES);
  const sessions: SessionStart[] = [];
  for (const { block, body, sessions: own } of rows) {
    const at = block * BLOCK_DOCS;
    if (at >= docs) break;
    bytes.set(fromBase64(body).subarray(0, (docs - at) * DOC_BYTES), at * DOC_BYTES);
    sessions.push(...toSessions(own));
  }
  const count = depth <= to ? docs : countDocs(bytes, to - from);
  return { from, count, bytes, sessions: sessions.filter(({ doc }) => doc < count) };
}

/** The messages of a path that are not indexed yet; the newest if there are many. */
async function loadPending(
  read: LayReads,
  thread: string,
  segments: readonly Segment[],
  stateOf: ReadonlyMap<string, RowOf<"recall_states">>,
): Promise<ReadonlyMap<string, DocList & { readonly pending: readonly IndexedDoc[] }>> {
  const found = new Map<string, DocList & { readonly pending: readonly IndexedDoc[] }>();
  let room = MOST_PENDING;
  for (const { branch, from, to } of segments) {
    const above = Math.max(from, stateOf.get(branch)?.depth ?? 0, to - room);
    if (above >= to || room <= 0) continue;
    const messages = await read.recallMessages({ thread, branch, above, upTo: to }, room);
    room -= messages.length;
    const passages = await loadPassages(read, thread, messages);
    const pending: IndexedDoc[] = [];
    const sessions: SessionStart[] = [];
    let last = -Infinity;
    for (const { id, created_at: at } of messages) {
      if (at - last >= recallParameters.sessionGapMs) sessions.push({ doc: pending.length, at });
      pending.push(...indexMessage(passages.get(id) ?? []));
      last = at;
    }
    const bytes = Uint8Array.from(pending.flatMap((doc) => doc.bytes));
    found.set(branch, { from: above, count: pending.length, bytes, sessions, pending });
  }
  return found;
}
