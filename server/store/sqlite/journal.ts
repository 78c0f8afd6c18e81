import type { Batch } from "../contract.ts";
import type { Connection } from "./connection.ts";
import { decode, toDeltaRemoval } from "./delta-batch.ts";

/**
 * Stores the deltas of all streams, one row per transaction, appended to one table. That writes one or two pages for a
 * thousand streams, while `events` is clustered by stream and would rewrite a page for each. Rows are deleted when their step
 * has settled. Rows left by a crash are moved to `events` at startup. Used only by the writer thread.
 */
type Journal = {
  readonly begin: () => void;
  /** Returns the first seq, or 0 if the epoch does not match. */
  readonly append: (deltas: string) => number;
  /** Called before an ordinary batch: writes the heads that are known only here to the batch's streams. */
  readonly before: (batch: Batch) => void;
  /** Called after an ordinary batch succeeded. */
  readonly after: (batch: Batch) => void;
  /** Writes this transaction's row. */
  readonly write: () => void;
  /** The transaction was rolled back and will be repeated. */
  readonly undo: () => void;
  /** The transaction failed: forgets all in-memory state. */
  readonly reset: () => void;
};

/** A stream with deltas in the journal: its epoch and head, the seq of the first delta, and the journal row that has it. */
type Live = { epoch: number; head: number; readonly first: number; from: number };

/** Beyond this many rows, the oldest are moved to `events`, a few with each transaction. */
const MOST_ROWS = 10_000;
const MOVED_AT_ONCE = 4;
const ROWS_BETWEEN_TRIMS = 64;

export function createJournal(db: Connection, mostRows = MOST_ROWS): Journal {
  const insert = db.prepare("insert into journal (id, body) values (?, ?)");
  const clear = db.prepare("delete from journal");
  const clearBefore = db.prepare("delete from journal where id < ?");
  const find = db.prepare<[string], { head: number; epoch: number }>("select head, epoch from streams where id = ?");
  const raise = db.prepare("update streams set head = ? where id = ? and head < ?");
  const live = new Map<string, Live>();
  let entries: string[] = [];
  let firstId = 1;
  let nextId = 1;
  let isStale = false;
  /** State of the changed streams at the start of this transaction. */
  const was = new Map<string, Live | undefined>();
  let isMoved = false;

  const touch = (stream: string): void => {
    if (was.has(stream)) return;
    const entry = live.get(stream);
    was.set(stream, entry && { ...entry });
  };

  const insertEntries = (): void => {
    if (entries.length === 0) return;
    insert.run(nextId, entries.join("\n\n"));
    entries = [];
    nextId += 1;
  };

  const moveAll = (): void => {
    insertEntries();
    restoreJournal(db);
    live.clear();
    firstId = nextId;
    isMoved = true;
  };

  const moveOldest = (): void => {
    const before = firstId + MOVED_AT_ONCE;
    moveRows(db, before, (stream, id) => id >= (live.get(stream)?.from ?? Infinity));
    for (const entry of live.values()) entry.from = Math.max(entry.from, before);
    firstId = before;
  };

  const trim = (): void => {
    firstId = [...live.values()].reduce((least, { from }) => Math.min(least, from), nextId);
    clearBefore.run(firstId);
  };

  const reset = (): void => {
    live.clear();
    entries = [];
    isStale = true;
  };

  return {
    begin: () => {
      was.clear();
      isMoved = false;
      if (isStale) moveAll();
      isStale = false;
    },
    append: (deltas) => {
      const { stream, epoch, bodies } = decode(deltas);
      const entry = live.get(stream) ?? find.get(stream);
      if (entry?.epoch !== epoch) return 0;
      touch(stream);
      const first = entry.head + 1;
      entry.head += bodies.length;
      if (!("from" in entry)) live.set(stream, { ...entry, first, from: nextId });
      entries.push(`${first}\n${deltas}`);
      return first;
    },
    before: (batch) => {
      if (live.size === 0) return;
      const isPartly = batch.writes.some((write) => {
        const removal = toDeltaRemoval(write);
        return removal && removal.after >= (live.get(removal.stream)?.first ?? Infinity);
      });
      if (isPartly) return moveAll();
      for (const stream of streamsOf(batch)) {
        const entry = live.get(stream);
        if (entry) raise.run(entry.head, stream, entry.head);
      }
    },
    after: (batch) => {
      if (live.size === 0) return;
      for (const write of batch.writes) {
        const removal = toDeltaRemoval(write);
        if (removal) touch(removal.stream);
        if (removal && live.delete(removal.stream)) entries.push(`${FORGET}\n${removal.stream}\n${removal.after}`);
      }
      for (const stream of streamsOf(batch)) {
        const entry = live.get(stream);
        if (!entry) continue;
        touch(stream);
        Object.assign(entry, find.get(stream));
      }
    },
    write: () => {
      if (live.size === 0) {
        if (nextId > firstId) clear.run();
        entries = [];
        firstId = nextId;
        return;
      }
      insertEntries();
      if (nextId - firstId > mostRows) moveOldest();
      else if (nextId % ROWS_BETWEEN_TRIMS === 0) trim();
    },
    undo: () => {
      if (isMoved) return reset();
      entries = [];
      for (const [stream, entry] of was) {
        if (entry) live.set(stream, entry);
        else live.delete(stream);
      }
    },
    reset,
  };
}

const FORGET = "forget";

function streamsOf({ fence, events, revoke }: Batch): ReadonlySet<string> {
  const streams = new Set<string>(events.map(({ stream }) => stream));
  if (fence) streams.add(fence.stream);
  if (revoke) streams.add(revoke);
  return streams;
}

/** The deltas of each stream that are in the journal only. */
export const readJournal = (db: Connection): ReturnType<typeof replay> =>
  replay(
    db.prepare<[], { id: number; body: string }>("select id, body from journal order by id").iterate(),
    () => true,
  );

/** Moves all journal rows to `events`. */
export const restoreJournal = (db: Connection): void => moveRows(db, Number.MAX_SAFE_INTEGER, () => true);

function moveRows(db: Connection, before: number, isNeeded: (stream: string, id: number) => boolean): void {
  const rows = db.prepare<[number], { id: number; body: string }>(
    "select id, body from journal where id < ? order by id",
  );
  const insert = db.prepare("insert or ignore into events (stream, seq, transient, body) values (?, ?, 1, ?)");
  const raise = db.prepare("update streams set head = max(head, ?) where id = ?");
  for (const [stream, deltas] of replay(rows.iterate(before), isNeeded)) {
    for (const { seq, body } of deltas) insert.run(stream, seq, body);
    raise.run(deltas.at(-1)?.seq ?? 0, stream);
  }
  db.prepare("delete from journal where id < ?").run(before);
}

type Delta = { readonly seq: number; readonly body: string };

function replay(
  rows: Iterable<{ readonly id: number; readonly body: string }>,
  isNeeded: (stream: string, id: number) => boolean,
): ReadonlyMap<string, readonly Delta[]> {
  const found = new Map<string, Delta[]>();
  for (const { id, body } of rows) {
    for (const entry of body.split("\n\n")) {
      const cut = entry.indexOf("\n");
      const head = entry.slice(0, cut);
      const rest = entry.slice(cut + 1);
      if (head === FORGET) {
        const [stream = "", after] = rest.split("\n");
        const kept = found.get(stream)?.filter(({ seq }) => seq <= Number(after));
        if (kept) found.set(stream, kept);
        continue;
      }
      const { stream, bodies } = decode(rest);
      if (!isNeeded(stream, id)) continue;
      const deltas = found.get(stream) ?? [];
      bodies.forEach((delta, n) => deltas.push({ seq: Number(head) + n, body: delta }));
      found.set(stream, deltas);
    }
  }
  return found;
}
