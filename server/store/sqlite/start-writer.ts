import { Worker } from "node:worker_threads";
import { systemClock } from "../../lib/clock.ts";
import { Unavailable } from "../failure.ts";
import { isFailedSync } from "./failed-sync.ts";
import { toSqliteError } from "./file/failure.ts";
import type { WriterOptions, WriterRequest } from "./writer.ts";

export type WriterThread = {
  readonly ask: <T>(request: Ask) => Promise<T>;
  /** Waits for earlier requests and closes the database. Rejects if that fails. */
  readonly close: () => Promise<void>;
};

type Ask = WriterRequest extends infer R ? (R extends { readonly id: number } ? Omit<R, "id"> : never) : never;
type Waiting = { readonly resolve: (value: never) => void; readonly reject: (error: Error) => void };
type WriterReply = { id: number; result?: never; error?: { message: string; code?: string } };
type Thread = { readonly worker: Worker; readonly waiting: Map<number, Waiting> };

type Options = {
  readonly file: string;
  readonly synchronous: "FULL" | "NORMAL";
  /** Called before the caller receives the answer. */
  readonly onAnswer: () => void;
  /** The thread ended unexpectedly. Pending requests have failed. A request after the promise settled starts a new thread. */
  readonly onLost: (error: Error) => Promise<void>;
};

/** Minimum time before an ended thread is restarted. */
const RESTART_PAUSE_MS = 500;

export async function startWriter({ file, synchronous, onAnswer, onLost }: Options): Promise<WriterThread> {
  let lastId = 0;
  let lostAt = -Infinity;
  let isClosed = false;
  let isReopening = false;
  let isAfterFailedSync = false;
  let thread: Thread | undefined;

  const start = (): Thread => {
    const worker = new Worker(new URL("./writer.ts", import.meta.url), {
      workerData: { file, synchronous, isRestart: lostAt !== -Infinity, isAfterFailedSync } satisfies WriterOptions,
    });
    const started: Thread = { worker, waiting: new Map() };
    let cause: unknown;
    worker.on("message", ({ id, result, error }: WriterReply) => {
      onAnswer();
      isAfterFailedSync = false;
      const asked = started.waiting.get(id);
      started.waiting.delete(id);
      if (error) asked?.reject(toSqliteError(error, file));
      else asked?.resolve(result as never);
    });
    worker.on("error", (error) => (cause = error));
    worker.on("exit", () => {
      if (thread === started) thread = undefined;
      lostAt = systemClock.monotonic();
      const failure = toSqliteError(
        cause ?? new Unavailable("The database writer thread has ended. It is restarted automatically."),
        file,
      );
      isAfterFailedSync ||= isFailedSync((cause as { code?: string } | undefined)?.code);
      isReopening = !isClosed;
      for (const { reject } of started.waiting.values()) reject(failure);
      if (!isClosed) void onLost(failure).finally(() => (isReopening = false));
    });
    return started;
  };

  const ask = <T>(request: Ask): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const isPaused = !thread && (isReopening || systemClock.monotonic() - lostAt < RESTART_PAUSE_MS);
      if (isClosed || isPaused)
        return reject(new Unavailable("The database writer thread has ended. It is restarted automatically."));
      thread ??= start();
      const id = ++lastId;
      thread.waiting.set(id, { resolve, reject });
      thread.worker.postMessage({ ...request, id });
    });

  await ask({ do: "commit", batches: "[]" });
  const close = () =>
    new Promise<void>((resolve, reject) => {
      isClosed = true;
      if (!thread) return resolve();
      thread.worker.once("error", reject).once("exit", () => resolve());
      thread.worker.postMessage({ do: "close" } satisfies WriterRequest);
    });
  return { ask, close };
}
