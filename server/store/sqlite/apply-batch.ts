import type { Statement as Prepared } from "better-sqlite3";
import type { Batch, BatchResult, Fence, Write } from "../contract.ts";
import { compress } from "../compress.ts";
import { readPieces, toStatement, toStorable } from "../write-sql.ts";
import { nowMs, type Connection } from "./connection.ts";

type StreamHead = { head: number; epoch: number };

/** Thrown while a batch is applied, so that the caller rolls it back. */
class BatchFailure extends Error {
  readonly why: "missing" | "conflict" | "fenced";
  constructor(why: "missing" | "conflict" | "fenced") {
    super(why);
    this.why = why;
  }
}

/**
 * Writes one batch inside the current transaction. Seq, fence and lease of a stream are one statement. The fence is checked
 * first, so a fenced batch has written nothing when this throws.
 */
export function createApplyBatch(db: Connection): (batch: Batch) => BatchResult {
  const advance = createAdvance(db);
  const insertEvent = db.prepare(
    "insert into events (stream, seq, transient, body, message, n) values (?, ?, ?, ?, ?, ?)",
  );
  const revoke = db.prepare("update streams set epoch = epoch + 1, holder = null, lease_until = 0 where id = ?");
  const prepared = new Map<string, Prepared>();

  const run = ({ sql, parameters, expectOne }: ReturnType<typeof toStatement>): void => {
    let statement = prepared.get(sql);
    if (!statement) prepared.set(sql, (statement = db.prepare(sql)));
    const { changes } = statement.run(...readPieces(parameters));
    if (expectOne && changes !== 1) throw new BatchFailure("missing");
  };

  return (batch) => {
    const { events } = batch;
    const { seqs, epoch } = advance(batch);
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
}

/** Checks the fence, advances the heads of the batch's streams and returns the seqs of its events. */
function createAdvance(db: Connection) {
  const advanceAny = db.prepare<unknown[], StreamHead>(
    `insert into streams (id, head, epoch, holder, lease_until) values (?, ?, 0, null, 0)
       on conflict (id) do update set head = head + excluded.head returning head, epoch`,
  );
  const advanceFenced = db.prepare<unknown[], StreamHead>(
    "update streams set head = head + ? where id = ? and epoch = ? returning head, epoch",
  );
  const advanceAndRelease = db.prepare<unknown[], StreamHead>(
    `update streams set head = head + ?, holder = null, lease_until = 0 where id = ? and epoch = ?
       returning head, epoch`,
  );
  const advanceAndAcquire = db.prepare<unknown[], StreamHead>(
    `update streams set head = head + ?, epoch = epoch + 1, holder = ?, lease_until = ${nowMs} + ?
       where id = ? and epoch = ? and lease_until <= ${nowMs} returning head, epoch`,
  );

  const advanceByFence = (fence: Fence, count: number): StreamHead | undefined => {
    const { stream, epoch, acquire, release } = fence;
    if (acquire) return advanceAndAcquire.get(count, acquire.holder, acquire.ttlMs, stream, epoch);
    return (release ? advanceAndRelease : advanceFenced).get(count, stream, epoch);
  };

  return ({ fence, events }: Batch): { readonly seqs: readonly number[]; readonly epoch: number | null } => {
    const counts = new Map<string, number>();
    if (fence) counts.set(fence.stream, 0);
    for (const event of events) counts.set(event.stream, (counts.get(event.stream) ?? 0) + 1);
    const next = new Map<string, number>();
    let epoch: number | null = null;
    for (const [stream, count] of counts) {
      const advanced = stream === fence?.stream ? advanceByFence(fence, count) : advanceAny.get(stream, count);
      if (!advanced) throw new BatchFailure("fenced");
      if (stream === fence?.stream) epoch = advanced.epoch;
      next.set(stream, advanced.head - count + 1);
    }
    const seqs = events.map((event) => {
      const seq = next.get(event.stream) ?? 0;
      next.set(event.stream, seq + 1);
      return seq;
    });
    return { seqs, epoch };
  };
}

/** Compressed here, in the writer thread, to keep the main thread free. */
function packReceipt(write: Write): Write {
  if (write.table !== "receipts") return write;
  if (write.do === "insert" && typeof write.row.body === "string")
    return { ...write, row: { ...write.row, body: compress(write.row.body) as string } };
  if (write.do === "update" && typeof write.set.body === "string")
    return { ...write, set: { ...write.set, body: compress(write.set.body) as string } };
  return write;
}

/**
 * The result of a batch that failed. Disk and file errors are rethrown: they may have ended the transaction, so all batches
 * fail with them.
 */
export function toBatchFailure(error: unknown): Extract<BatchResult, { readonly ok: false }> {
  if (error instanceof BatchFailure) return { ok: false, why: error.why };
  const { code = "", message = String(error) } = error as { code?: string; message?: string };
  if (code === "SQLITE_CONSTRAINT_FOREIGNKEY") return { ok: false, why: "missing" };
  if (code.startsWith("SQLITE_CONSTRAINT")) return { ok: false, why: "conflict" };
  if (databaseCodes.test(code)) throw error;
  // A damaged page does not end the transaction: batches that do not touch it are stored.
  return { ok: false, why: "failed", message: code ? `${code}: ${message}` : message };
}

const databaseCodes = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|NOTADB|READONLY|CANTOPEN|NOMEM|PROTOCOL|INTERRUPT)/;
