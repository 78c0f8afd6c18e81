import { threadStream } from "../../protocol/ids.ts";
import type { Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { BatchContent } from "./deliver.ts";

/** Reads whose results do not depend on a delivery at the end of a branch. All other reads are rejected. */
const unchanged = new Set<keyof Reads>([
  "siblings",
  "memory",
  "profile",
  "preferences",
  "compactionMarks",
  "compaction",
  "pins",
  "receipts",
  "text",
  "summariesOn",
  "agentState",
]);

/** The read depends on rows that are planned but not stored yet. */
export class ReadNotPrepared extends Error {
  override readonly name = "ReadNotPrepared";
}

/**
 * The store's reads with the rows of a delivery that is not committed yet, so that the first model call can be prepared and
 * committed with it. Undefined for a delivery that forks a branch.
 */
export function overlayReads(read: Reads, { events, writes }: BatchContent): Reads | undefined {
  if (writes.some((write) => write.table === "branches" && write.do === "insert")) return undefined;
  const rows = writes.flatMap((write) =>
    write.do === "insert" && write.table === "messages" ? [write.row as RowOf<"messages">] : [],
  );
  const ids = new Set(rows.map(({ id }) => id));
  const runs = new Set(
    writes.flatMap((write) => (write.do === "insert" && write.table === "runs" ? [write.row.id] : [])),
  );
  const first = rows[0];
  const last = rows.at(-1);
  if (!first || !last) return undefined;
  const parts = events.flatMap(({ stream, event, tokens = 0 }): RowOf<"parts">[] => {
    if (event.type !== "part-settled" || stream !== threadStream(first.thread)) return [];
    const { kind, n, v } = event.part;
    return [{ thread: first.thread, message: event.messageId, n, v, kind, tokens, body: JSON.stringify(event.part) }];
  });

  // A thread that had no message has no compaction, receipt or variant either.
  const wasEmpty = writes.some(
    (write) => write.do === "update" && write.table === "threads" && write.set.message_count === rows.length,
  );
  const none = async (): Promise<[]> => [];
  const overlaid: Partial<Reads> = {
    ...(wasEmpty ? { siblings: none, compactionMarks: none, receipts: none } : {}),
    segments: async (place, count) => {
      if (place.branch === first.branch && place.upTo < first.depth) return read.segments(place, count);
      if (place.branch !== first.branch || place.upTo < last.depth)
        throw new ReadNotPrepared("The path ends before the planned messages.");
      const stored = wasEmpty ? [] : await read.segments(place, count);
      const [end, ...before] = stored;
      if (end?.branch === first.branch) return [{ ...end, to: last.depth }, ...before];
      // Only the first branch of a thread can be empty.
      if (end) throw new ReadNotPrepared("The branch of the planned messages is empty.");
      return [{ branch: first.branch, parent: null, from: 0, to: last.depth }];
    },
    pathEnd: async (thread, segments, count) => {
      if (segments[0]?.to !== last.depth) return read.pathEnd(thread, segments, count);
      const stored = wasEmpty ? [] : await read.pathEnd(thread, segments, count);
      return [...stored, ...rows].slice(-count);
    },
    run: (id) => (runs.has(id) ? Promise.reject(new ReadNotPrepared("run")) : read.run(id)),
    partsOf: async (thread, messages) => {
      const stored = messages.filter((id) => !ids.has(id));
      const wanted = new Set(messages);
      return [...(await read.partsOf(thread, stored)), ...parts.filter(({ message }) => wanted.has(message))];
    },
  };
  return { __proto__: toUnchanged(read), ...overlaid } as unknown as Reads;
}

const prepared = new WeakMap<Reads, Partial<Reads>>();

/** The reads that a delivery does not change; all others reject. Built once, because there are more than a hundred. */
function toUnchanged(read: Reads): Partial<Reads> {
  let known = prepared.get(read);
  if (!known) {
    const reject = (name: string) => () => Promise.reject(new ReadNotPrepared(name));
    known = Object.fromEntries(
      (Object.keys(read) as (keyof Reads)[]).map((name) => [name, unchanged.has(name) ? read[name] : reject(name)]),
    );
    prepared.set(read, known);
  }
  return known;
}
