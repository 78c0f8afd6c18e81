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
  "epochMarks",
  "epoch",
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

  const overlaid: Partial<Reads> = {
    segments: async (place, count) => {
      if (place.branch === first.branch && place.upTo < first.depth) return read.segments(place, count);
      if (place.branch !== first.branch || place.upTo < last.depth) throw new ReadNotPrepared("a part of a path");
      const stored = await read.segments(place, count);
      const [end, ...before] = stored;
      if (end?.branch === first.branch) return [{ ...end, to: last.depth }, ...before];
      // Only the first branch of a thread can be empty.
      if (end) throw new ReadNotPrepared("an empty branch");
      return [{ branch: first.branch, parent: null, from: 0, to: last.depth }];
    },
    pathEnd: async (thread, segments, count) =>
      segments[0]?.to === last.depth
        ? [...(await read.pathEnd(thread, segments, count)), ...rows].slice(-count)
        : read.pathEnd(thread, segments, count),
    run: (id) => (runs.has(id) ? Promise.reject(new ReadNotPrepared("run")) : read.run(id)),
    partsOf: async (thread, messages) => {
      const stored = messages.filter((id) => !ids.has(id));
      const wanted = new Set(messages);
      return [...(await read.partsOf(thread, stored)), ...parts.filter(({ message }) => wanted.has(message))];
    },
  };
  const reject = (name: string) => () => Promise.reject(new ReadNotPrepared(name));
  return Object.fromEntries(
    (Object.keys(read) as (keyof Reads)[]).map((name) => [
      name,
      overlaid[name] ?? (unchanged.has(name) ? read[name] : reject(name)),
    ]),
  ) as Reads;
}
