import type { Batch, BatchResult } from "../contract.ts";
import { createApplyBatch, toBatchFailure } from "./apply-batch.ts";
import type { Connection } from "./connection.ts";
import { createJournal } from "./journal.ts";

/** A string is a batch of deltas; its result is the first seq, or 0 if fenced. */
type Transact = (batches: readonly (Batch | string)[]) => readonly (BatchResult | number)[];

/** A batch failed in a transaction without savepoints, so all of it must be repeated. */
class RepeatWithSavepoints extends Error {}

/** After such a failure, this many transactions use savepoints, which cost a copy of each changed page. */
const TRANSACTIONS_WITH_SAVEPOINTS = 50;

/**
 * Commits all batches in one transaction. Nearly all succeed, so they are written without savepoints first. If one fails, the
 * transaction is rolled back and repeated with a savepoint per batch, so that only the failed batch is undone.
 */
export function createTransact(db: Connection, journalRows?: number): Transact {
  const journal = createJournal(db, journalRows);
  const apply = createApplyBatch(db);
  const begin = db.prepare("begin immediate");
  const commit = db.prepare("commit");
  const savepoint = db.prepare("savepoint batch");
  const release = db.prepare("release batch");
  const undo = db.prepare("rollback to batch");

  const applyAny = (batch: Batch | string, hasSavepoint: boolean): BatchResult | number => {
    if (typeof batch === "string") return journal.append(batch);
    journal.before(batch);
    const result = hasSavepoint ? applyInSavepoint(batch) : applyDirectly(batch);
    if (result.ok) journal.after(batch);
    return result;
  };

  const applyInSavepoint = (batch: Batch): BatchResult => {
    savepoint.run();
    try {
      const result = apply(batch);
      release.run();
      return result;
    } catch (error) {
      const failure = toBatchFailure(error);
      undo.run();
      release.run();
      return failure;
    }
  };

  const applyDirectly = (batch: Batch): BatchResult => {
    try {
      return apply(batch);
    } catch (error) {
      const failure = toBatchFailure(error);
      // The fence is checked before anything is written, so there is nothing to undo.
      if (failure.why === "fenced") return failure;
      throw new RepeatWithSavepoints();
    }
  };

  const tryAll = (batches: readonly (Batch | string)[], hasSavepoints: boolean): ReturnType<Transact> | undefined => {
    begin.run();
    try {
      journal.begin();
      const results = batches.map((batch) => applyAny(batch, hasSavepoints));
      journal.write();
      commit.run();
      return results;
    } catch (error) {
      if (db.inTransaction) db.exec("rollback");
      if (error instanceof RepeatWithSavepoints) journal.undo();
      else journal.reset();
      if (error instanceof RepeatWithSavepoints) return undefined;
      throw error;
    }
  };

  let savepointsLeft = 0;
  return (batches) => {
    const results = savepointsLeft > 0 ? undefined : tryAll(batches, false);
    savepointsLeft = savepointsLeft > 0 ? savepointsLeft - 1 : results ? 0 : TRANSACTIONS_WITH_SAVEPOINTS;
    const final = results ?? tryAll(batches, true);
    if (!final) throw new Error("A batch failed outside its savepoint.");
    return final;
  };
}
