import type { Statement as Prepared } from "better-sqlite3";
import type { Batch, BatchResult, Fence, Write } from "../contract.ts";
import { pack } from "../packed.ts";
import { readPieces, toStatement, toStorable } from "../write-sql.ts";
import type { Connection } from "./connection.ts";
import { createJournal } from "./journal.ts";

export const nowMs = "cast(unixepoch('subsec') * 1000 as integer)";
/** A text column as JSON, for `->>`. */
export const toJson = (column: string): string => column;

type Bumped = { head: number; epoch: number };

/** Thrown inside a batch's savepoint to undo that batch alone. */
class Undone extends Error {
  readonly why: "missing" | "conflict" | "fenced";
  constructor(why: "missing" | "conflict" | "fenced") {
    super(why);
    this.why = why;
  }
}

/** Deltas as text, which are answered by their first seq, 0 when fenced off; and batches of any other kind. */
export type Commit = (batches: readonly (Batch | string)[]) => readonly (BatchResult | number)[];

/**
 * All batches in one transaction; seq, fence and lease in one statement per stream. Nearly all stand, so they are written as
 * one; when one does not, the transaction is undone and done again with each of them undoable by itself.
 */
export function createCommit(db: Connection, journalRows?: number): Commit {
  const journal = createJournal(db, journalRows);
  const begin = db.prepare("begin immediate");
  const commit = db.prepare("commit");
  const savepoint = db.prepare("savepoint batch");
  const keep = db.prepare("release batch");
  const undo = db.prepare("rollback to batch");
  const insertEvent = db.prepare(
    "insert into events (stream, seq, transient, body, message, n) values (?, ?, ?, ?, ?, ?)",
  );
  const bump = db.prepare<unknown[], Bumped>(
    `insert into streams (id, head, epoch, holder, lease_until) values (?, ?, 0, null, 0)
       on conflict (id) do update set head = head + excluded.head returning head, epoch`,
  );
  const bumpFenced = db.prepare<unknown[], Bumped>(
    "update streams set head = head + ? where id = ? and epoch = ? returning head, epoch",
  );
  const bumpReleasing = db.prepare<unknown[], Bumped>(
    `update streams set head = head + ?, holder = null, lease_until = 0 where id = ? and epoch = ?
       returning head, epoch`,
  );
  const bumpAcquiring = db.prepare<unknown[], Bumped>(
    `update streams set head = head + ?, epoch = epoch + 1, holder = ?, lease_until = ${nowMs} + ?
       where id = ? and epoch = ? and lease_until <= ${nowMs} returning head, epoch`,
  );
  const revoke = db.prepare("update streams set epoch = epoch + 1, holder = null, lease_until = 0 where id = ?");
  const written = new Map<string, Prepared>();

  const bumpBy = (fence: Fence, count: number): Bumped | undefined => {
    const { stream, epoch, acquire, release } = fence;
    if (acquire) return bumpAcquiring.get(count, acquire.holder, acquire.ttlMs, stream, epoch);
    return (release ? bumpReleasing : bumpFenced).get(count, stream, epoch);
  };

  const apply = (batch: Batch): BatchResult => {
    const { fence, events } = batch;
    const next = new Map<string, number>();
    let epoch: number | null = null;
    const counts = new Map<string, number>();
    if (fence) counts.set(fence.stream, 0);
    for (const event of events) counts.set(event.stream, (counts.get(event.stream) ?? 0) + 1);
    for (const [stream, count] of counts) {
      const bumped = stream === fence?.stream ? bumpBy(fence, count) : bump.get(stream, count);
      if (!bumped) throw new Undone("fenced");
      if (stream === fence?.stream) epoch = bumped.epoch;
      next.set(stream, bumped.head - count + 1);
    }
    const seqs = events.map((event) => {
      const seq = next.get(event.stream) ?? 0;
      next.set(event.stream, seq + 1);
      return seq;
    });
    for (const write of batch.writes) run(toStatement(packReceipt(write), seqs));
    if (batch.revoke) revoke.run(batch.revoke);
    for (const [index, { stream, body, transient, part, about }] of events.entries()) {
      insertEvent.run(
        stream,
        seqs[index],
        transient ? 1 : 0,
        toStorable(body),
        part?.message ?? about ?? null,
        part?.n ?? null,
      );
    }
    return { ok: true, seqs, epoch };
  };

  const run = ({ sql, parameters, expectOne }: ReturnType<typeof toStatement>): void => {
    let statement = written.get(sql);
    if (!statement) written.set(sql, (statement = db.prepare(sql)));
    const { changes } = statement.run(...readPieces(parameters));
    if (expectOne && changes !== 1) throw new Undone("missing");
  };

  const applyAny = (batch: Batch | string, alone: boolean): BatchResult | number => {
    if (typeof batch === "string") return journal.append(batch);
    journal.before(batch);
    const result = alone ? applyAlone(batch) : applyTogether(batch);
    if (result.ok) journal.after(batch);
    return result;
  };

  const applyAlone = (batch: Batch): BatchResult => {
    savepoint.run();
    try {
      const result = apply(batch);
      keep.run();
      return result;
    } catch (error) {
      const failure = toBatchFailure(error);
      undo.run();
      keep.run();
      return failure;
    }
  };

  /** The fence is the first thing touched: when it fails there is nothing to undo. Anything else undoes the others, too. */
  const applyTogether = (batch: Batch): BatchResult => {
    try {
      return apply(batch);
    } catch (error) {
      const failure = toBatchFailure(error);
      if (failure.why === "fenced") return failure;
      throw new Together();
    }
  };

  const transact = (batches: readonly (Batch | string)[], alone: boolean): ReturnType<Commit> | undefined => {
    begin.run();
    try {
      journal.begin();
      const results = batches.map((batch) => applyAny(batch, alone));
      journal.write();
      commit.run();
      return results;
    } catch (error) {
      if (db.inTransaction) db.exec("rollback");
      if (error instanceof Together) journal.undo();
      else journal.reset();
      if (error instanceof Together) return undefined;
      throw error;
    }
  };

  let wary = 0;
  return (batches) => {
    const results = wary > 0 ? undefined : transact(batches, false);
    wary = wary > 0 ? wary - 1 : results ? 0 : WARY;
    const sure = results ?? transact(batches, true);
    if (!sure) throw new Error("a batch could not be undone by itself");
    return sure;
  };
}

/** Compressed here, in the writing thread. */
function packReceipt(write: Write): Write {
  if (write.table !== "receipts") return write;
  if (write.do === "insert" && typeof write.row.body === "string")
    return { ...write, row: { ...write.row, body: pack(write.row.body) as string } };
  if (write.do === "update" && typeof write.set.body === "string")
    return { ...write, set: { ...write.set, body: pack(write.set.body) as string } };
  return write;
}

/** A batch failed that cannot be undone by itself. */
class Together extends Error {}

/** Transactions after such a one in which every batch can be undone by itself, which costs a copy of each page it touches. */
const WARY = 50;

/**
 * The failure of one batch, to be undone by its savepoint. Errors of the disk or the file are rethrown: they may have ended
 * the transaction, and all batches fail with them.
 */
function toBatchFailure(error: unknown): Extract<BatchResult, { readonly ok: false }> {
  if (error instanceof Undone) return { ok: false, why: error.why };
  const { code = "", message = String(error) } = error as { code?: string; message?: string };
  if (code === "SQLITE_CONSTRAINT_FOREIGNKEY") return { ok: false, why: "missing" };
  if (code.startsWith("SQLITE_CONSTRAINT")) return { ok: false, why: "conflict" };
  if (databaseCodes.test(code)) throw error;
  // A damaged page does not end the transaction: batches that do not touch it are stored.
  return { ok: false, why: "failed", message: code ? `${code}: ${message}` : message };
}

const databaseCodes = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|NOTADB|READONLY|CANTOPEN|NOMEM|PROTOCOL|INTERRUPT)/;
