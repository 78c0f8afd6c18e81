import { systemRandom } from "../../lib/random.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Batch, BatchResult } from "../contract.ts";
import { StorageFull, Unavailable } from "../failure.ts";
import { append, onlyAppends } from "./append.ts";
import type { Client, Session } from "./connection.ts";
import { isStalePlan, isTransient, toPostgresError, toWhy } from "./failure.ts";
import { Missing, transact } from "./transact.ts";

const ATTEMPTS = 6;

type Commit = (batches: readonly Batch[]) => Promise<readonly BatchResult[]>;

/**
 * Commits of one process run one after another on one connection. If the connection is lost the outcome is unknown, so the
 * commit rejects and is not retried here.
 */
export function createCommit(session: Session): { readonly commit: Commit; readonly settled: () => Promise<unknown> } {
  let last: Promise<unknown> = Promise.resolve();

  const commitNow: Commit = async (batches) => {
    try {
      return await commitAll(session, batches);
    } catch (error) {
      const failure = toPostgresError(error);
      if (failure instanceof Unavailable) session.drop();
      throw failure;
    }
  };
  return {
    commit: (batches) => {
      const turn = last.then(() => commitNow(batches));
      last = turn.catch(() => {});
      return turn;
    },
    settled: () => last,
  };
}

async function commitAll(session: Session, batches: readonly Batch[]): Promise<readonly BatchResult[]> {
  if (batches.every(onlyAppends)) {
    const appended = await retrying(session, (client) => append(client, batches)).catch(giveUpUnlessBatch);
    if (appended) return appended;
  }
  const results: BatchResult[] = [];
  for (const group of toGroups(batches)) results.push(...(await commitGroup(session, group)));
  return results;
}

/** A failed append is one statement, so nothing was stored. If a batch caused the failure, the batches are tried one by one. */
function giveUpUnlessBatch(error: unknown): undefined {
  const failure = toPostgresError(error);
  if (failure instanceof Unavailable || failure instanceof StorageFull || isTransient(error)) throw failure;
  return undefined;
}

/** In one transaction if possible. If a batch fails, each in a separate transaction, so that the others are committed. */
async function commitGroup(session: Session, group: readonly Batch[]): Promise<readonly BatchResult[]> {
  try {
    return await retrying(session, (client) => transact(client, group));
  } catch (error) {
    const failure = toPostgresError(error);
    if (failure instanceof Unavailable || failure instanceof StorageFull || isTransient(error)) throw failure;
    if (group.length === 1) return [toResult(error)];
    const results: BatchResult[] = [];
    for (const batch of group) results.push(...(await commitGroup(session, [batch])));
    return results;
  }
}

function toResult(error: unknown): BatchResult {
  const why = error instanceof Missing ? "missing" : toWhy(error);
  return why === undefined ? { ok: false, why: "failed", message: toPostgresError(error).message } : { ok: false, why };
}

/** A batch that writes to `streams` gets a separate transaction, because later batches take their seqs from there. */
function toGroups(batches: readonly Batch[]): readonly (readonly Batch[])[] {
  const groups: Batch[][] = [];
  let open: Batch[] | undefined;
  for (const batch of batches) {
    const alone = batch.writes.some(({ table }) => table === "streams");
    if (alone || !open) groups.push((open = []));
    open.push(batch);
    if (alone) open = undefined;
  }
  return groups;
}

/** Retries only transactions that the server rolled back. */
async function retrying<T>(session: Session, work: (client: Client) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const client = await session.use();
      return await client.during(() => work(client));
    } catch (error) {
      const isStale = isStalePlan(error);
      if (!(isStale || isTransient(error)) || attempt === ATTEMPTS) throw error;
      if (isStale) session.drop();
      await sleep(systemRandom() * 10 * 2 ** attempt);
    }
  }
}
