import { Worker } from "node:worker_threads";
import { systemClock } from "../../lib/clock.ts";
import { Unavailable } from "../failure.ts";
import { toFailure } from "./file/failure.ts";
import type { WriterRequest } from "./writer.ts";

export type Writer = {
  readonly ask: <T>(request: Ask) => Promise<T>;
  /** After what was asked before, with the database closed; rejects when that failed. */
  readonly close: () => Promise<void>;
};

type Ask = WriterRequest extends infer R ? (R extends { readonly id: number } ? Omit<R, "id"> : never) : never;
type Waiting = { readonly resolve: (value: never) => void; readonly reject: (error: Error) => void };
type Answer = { id: number; result?: never; error?: { message: string; code?: string } };
type Thread = { readonly worker: Worker; readonly waiting: Map<number, Waiting> };

type Options = {
  readonly file: string;
  readonly synchronous: "FULL" | "NORMAL";
  /** Called before the caller receives the answer. */
  readonly onAnswer: () => void;
  /** The thread ended by itself. What was asked of it has failed, and the next request starts another thread. */
  readonly onLost: (error: Error) => void;
};

/** A thread that ended is not started again before this time has passed. */
const RESTART_PAUSE_MS = 500;

export async function startWriter({ file, synchronous, onAnswer, onLost }: Options): Promise<Writer> {
  let lastId = 0;
  let lostAt = -Infinity;
  let isClosed = false;
  let thread: Thread | undefined;

  const start = (): Thread => {
    const worker = new Worker(new URL("./writer.ts", import.meta.url), { workerData: { file, synchronous } });
    const started: Thread = { worker, waiting: new Map() };
    let cause: unknown;
    worker.on("message", ({ id, result, error }: Answer) => {
      onAnswer();
      const asked = started.waiting.get(id);
      started.waiting.delete(id);
      if (error) asked?.reject(toFailure(error, file));
      else asked?.resolve(result as never);
    });
    worker.on("error", (error) => (cause = error));
    worker.on("exit", () => {
      if (thread === started) thread = undefined;
      lostAt = systemClock.monotonic();
      const failure = toFailure(cause ?? new Unavailable("the database's writing thread has ended"), file);
      for (const { reject } of started.waiting.values()) reject(failure);
      if (!isClosed) onLost(failure);
    });
    return started;
  };

  const ask = <T>(request: Ask): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const isPaused = !thread && systemClock.monotonic() - lostAt < RESTART_PAUSE_MS;
      if (isClosed || isPaused) return reject(new Unavailable("the database's writing thread has ended"));
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
