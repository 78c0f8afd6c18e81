import { Worker } from "node:worker_threads";
import { BUSY_TIMEOUT_MS, type Connection } from "./connection.ts";
import type { MoverRequest } from "./mover.ts";

/** Pages in the WAL that are not in the file yet: as many as SQLite itself would let come together. */
const MOST_BEHIND = 1000;
/** Pages after which the WAL is to begin anew. */
const MOST_PAGES = 4000;

/** Pages that the writing thread moves by itself when it empties the WAL. */
const MOST_AT_ONCE = 200;

/** Characters committed between two looks at the WAL. */
const CHARACTERS_BETWEEN = 64_000;

export type Checkpoints = {
  /** Told of each commit, after it was answered. */
  readonly after: (characters: number) => void;
  /** Empties the WAL if no reader holds it; false when it is to be tried again later. */
  readonly truncate: () => boolean;
  /** The thread ends by itself: one that is ended from outside in the middle of a call can take the process with it. */
  readonly end: () => Promise<void>;
};

type Mover = { readonly ask: (request: MoverRequest) => void; readonly gone: Promise<void> };
type Wal = { readonly log: number; readonly checkpointed: number };

/**
 * Moves the WAL's pages into the file from a thread of its own, so that no commit waits for it. While it moves them more are
 * written, and a WAL begins anew only when all are moved: the few that are left, the writing thread moves itself.
 */
export function createCheckpoints(db: Connection, file: string): Checkpoints {
  const count = db.prepare<[], Wal>("pragma wal_checkpoint(noop)");
  const emptyWal = db.prepare<[], { readonly busy: number }>("pragma wal_checkpoint(truncate)");
  const moveRest = db.prepare("pragma wal_checkpoint(passive)");
  let mover: Mover | undefined;
  let isMoving = false;
  let written = 0;
  db.pragma("wal_autocheckpoint = 0");

  const startMover = (): Mover => {
    const worker = new Worker(new URL("./mover.ts", import.meta.url), { workerData: { file } });
    worker.on("message", () => (isMoving = false));
    // Without it commits wait as they would have: what is kept is the same.
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
      if (isMoving) return false;
      if (log - checkpointed > MOST_AT_ONCE) {
        move();
        return false;
      }
      db.pragma("busy_timeout = 0");
      try {
        return emptyWal.get()?.busy === 0;
      } finally {
        db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
      }
    },
    after: (characters) => {
      written += characters;
      if (isMoving || written < CHARACTERS_BETWEEN) return;
      written = 0;
      // At the first look, whether it has anything to do or not: what it takes is then known from early on.
      mover ??= startMover();
      const { log = 0, checkpointed = 0 } = count.get() ?? {};
      if (log - checkpointed > MOST_BEHIND) move();
      else if (log > MOST_PAGES) moveRest.get();
    },
    end: async () => {
      mover?.ask("end");
      await mover?.gone;
    },
  };
}
