import type { Batch } from "../../contract.ts";
import type { Checkpoints } from "../checkpoints.ts";
import type { Connection } from "../connection.ts";

/**
 * After a delete: shrinks the file, then truncates the WAL, which still has older versions of the pages. Works in small steps
 * between commits. SQLite overwrites deleted content in the pages (`secure_delete`).
 */
type Erasure = {
  readonly after: (batches: readonly (Batch | string)[]) => void;
  readonly end: () => void;
};

/** Deletes within this time are handled together. */
const FIRST_PAUSE_MS = 50;
const PIECE_PAUSE_MS = 5;
/** Retry interval while a reader uses the WAL. */
const BUSY_PAUSE_MS = 100;
/** About a megabyte. */
const PAGES_PER_PIECE = 256;
/** Free pages to keep for reuse. */
const FREE_PAGES = 64;
/** More free pages than this at startup mean that an earlier run did not finish. */
const UNFINISHED_PAGES = 4096;

export function createErasure(db: Connection, checkpoints: Pick<Checkpoints, "truncate">): Erasure {
  const freePages = (): number => Number(db.pragma("freelist_count", { simple: true }));
  const canShrink = db.pragma("auto_vacuum", { simple: true }) === INCREMENTAL;
  let timer: NodeJS.Timeout | undefined;

  const schedule = (pauseMs: number): void => {
    timer = setTimeout(work, pauseMs).unref();
  };
  const work = (): void => {
    timer = undefined;
    try {
      if (canShrink && freePages() > FREE_PAGES) {
        db.pragma(`incremental_vacuum(${PAGES_PER_PIECE})`);
        return schedule(PIECE_PAUSE_MS);
      }
      if (!checkpoints.truncate()) schedule(BUSY_PAUSE_MS);
    } catch {
      // The disk is full or the file is locked. The next delete or start tries again.
    }
  };

  if (canShrink && freePages() > UNFINISHED_PAGES) schedule(FIRST_PAUSE_MS);
  return {
    after: (batches) => {
      if (!timer && batches.some(isErasing)) schedule(FIRST_PAUSE_MS);
    },
    end: () => clearTimeout(timer),
  };
}

const INCREMENTAL = 2;

/** Deleting the deltas of a settled step does not count: their text is still in the settled part. */
const isErasing = (batch: Batch | string): boolean =>
  typeof batch !== "string" &&
  batch.writes.some((write) => write.do === "delete" && !(write.table === "events" && write.where.transient === 1));
