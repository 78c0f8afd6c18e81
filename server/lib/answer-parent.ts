import { Worker } from "node:worker_threads";

/** What a child process answers: a value, or why there is none. */
export type ProcessReply<A> = { readonly value: A } | { readonly error: string };

/** Runs in a thread of its own, so it works whatever the main thread does. Also ends a process whose parent has died. */
const watcher = `
  const { busy, mostBytes } = require("node:worker_threads").workerData;
  const parent = process.ppid;
  for (;;) {
    Atomics.wait(busy, 0, 0);
    if (process.memoryUsage.rss() > mostBytes[0] || process.ppid !== parent) process.kill(process.pid, "SIGKILL");
    Atomics.wait(busy, 0, 1, 10);
  }
`;

type Work<Q, A> = {
  readonly answer: (question: Q) => A | Promise<A>;
  /** Memory that a question may take, above what the process holds when it starts. */
  readonly mostBytes: (question: Q) => number;
};

/**
 * The child's side of a bounded process: answers one question at a time. The process kills itself when its resident memory
 * passes what the question may take. A limit of the JavaScript heap alone would not see buffers and what zlib returns.
 */
export function answerParent<Q, A>({ answer, mostBytes }: Work<Q, A>): void {
  const startBytes = process.memoryUsage.rss();
  const busy = new Int32Array(new SharedArrayBuffer(4));
  const limit = new Float64Array(new SharedArrayBuffer(8));
  new Worker(watcher, { eval: true, workerData: { busy, mostBytes: limit } }).unref();

  const answerSafely = async (question: Q): Promise<ProcessReply<A>> => {
    try {
      return { value: await answer(question) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
  process.on("message", (question: Q) => {
    limit[0] = startBytes + mostBytes(question);
    Atomics.store(busy, 0, 1);
    Atomics.notify(busy, 0);
    void answerSafely(question).then((answered) => {
      Atomics.store(busy, 0, 0);
      process.send?.(answered);
    });
  });
  process.on("disconnect", () => process.exit());
}
