import { Worker } from "node:worker_threads";
import { BUSY_TIMEOUT_MS, type Connection } from "./connection.ts";
import { isFailedSync } from "./failed-sync.ts";
import type { CheckpointReport, CheckpointRequest } from "./checkpoint-thread.ts";

/** Pages in the WAL that are not in the file yet. Same as SQLite's default for automatic checkpoints. */
const MOST_BEHIND = 1000;
/** Size of the WAL, in pages, above which it is restarted. */
const MOST_PAGES = 4000;

/** The most pages that the writer thread checkpoints itself before it truncates the WAL. */
const MOST_AT_ONCE = 200;

/** Characters committed between two checks of the WAL. */
const CHARACTERS_BETWEEN = 64_000;

export type Checkpoints = {
  /** Called after each commit's result was sent. */
  readonly after: (characters: number) => void;
  /** Truncates the WAL unless a reader uses it. Returns false if the caller should retry later. */
  readonly truncate: () => boolean;
  /** Asks the thread to exit. Terminating it in the middle of a call can crash the process. */
  readonly end: () => Promise<void>;
};

type Mover = { readonly ask: (request: CheckpointRequest) => void; readonly gone: Promise<void> };
type Wal = { readonly log: number; readonly checkpointed: number };

/**
 * Checkpoints the WAL from a separate thread, so that no commit waits for it. Pages written
 * during a checkpoint are left over. The WAL restarts only when none is left, so the writer thread checkpoints those few.
 * After a failed sync there is no further checkpoint: see failed-sync.ts.
 */
export function createCheckpoints(db: Connection, file: string, onFailedSync: () => void): Checkpoints {
  const count = db.prepare<[], Wal>("pragma wal_checkpoint(noop)");
  const emptyWal = db.prepare<[], { readonly busy: number }>("pragma wal_checkpoint(truncate)");
  const moveRest = db.prepare("pragma wal_checkpoint(passive)");
  let mover: Mover | undefined;
  let isMoving = false;
  let hasFailedSync = false;
  let written = 0;
  db.pragma("wal_autocheckpoint = 0");

  const watch = <T>(checkpoint: () => T): T => {
    try {
      return checkpoint();
    } catch (error) {
      notice((error as { code?: string }).code);
      throw error;
    }
  };
  const notice = (code: string | undefined): void => {
    if (hasFailedSync || !isFailedSync(code)) return;
    hasFailedSync = true;
    onFailedSync();
  };

  const startMover = (): Mover => {
    const worker = new Worker(new URL("./checkpoint-thread.ts", import.meta.url), { workerData: { file } });
    worker.on("message", (report: CheckpointReport) => {
      isMoving = false;
      notice(report?.code);
    });
    // Falls back to automatic checkpoints, which delay commits but are equally durable.
    worker.on("error", () => {
      isMoving = false;
      mover = undefined;
      db.pragma(`wal_autocheckpoint = ${MOST_BEHIND}`);
    });
    const gone = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    return { ask: (request) => worker.postMessage(request), gone };
  };

  const move = (): void => {
    if (isMoving) return;
    isMoving = true;
    (mover ??= startMover()).ask("move");
  };

  return {
    truncate: () => {
      const { log = 0, checkpointed = 0 } = count.get() ?? {};
      if (isMoving || hasFailedSync) return false;
      if (log - checkpointed > MOST_AT_ONCE) {
        move();
        return false;
      }
      db.pragma("busy_timeout = 0");
      try {
        return watch(() => emptyWal.get())?.busy === 0;
      } finally {
        db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
      }
    },
    after: (characters) => {
      written += characters;
      if (isMoving || hasFailedSync || written < CHARACTERS_BETWEEN) return;
      written = 0;
      // Started at the first check, even without work, so that its memory is allocated early.
      mover ??= startMover();
      const { log = 0, checkpointed = 0 } = count.get() ?? {};
      if (log - checkpointed > MOST_BEHIND) move();
      else if (log > MOST_PAGES) watch(() => moveRest.get());
    },
    end: async () => {
      mover?.ask("end");
      await mover?.gone;
    },
  };
}
