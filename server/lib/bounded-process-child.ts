import { Worker } from "node:worker_threads";

/** Reply of a child process. */
export type ProcessReply<A> = { readonly value: A } | { readonly error: string };

/**
 * Runs in a separate thread, so it works even if the main thread is blocked. Also kills a process whose parent has
 * died.
 */
const watcher = `
  const { busy, maxBytes } = require("node:worker_threads").workerData;
  const parent = process.ppid;
  for (;;) {
    Atomics.wait(busy, 0, 0);
    if (process.memoryUsage.rss() > maxBytes[0] || process.ppid !== parent) process.kill(process.pid, "SIGKILL");
    Atomics.wait(busy, 0, 1, 10);
  }
`;

type Work<Q, A> = {
  readonly handle: (input: Q) => A | Promise<A>;
  /** Memory that a request may use, in addition to the process's memory at startup. */
  readonly maxBytes: (input: Q) => number;
};

/**
 * The child's side of a bounded process: handles one request at a time. The process kills itself when its resident
 * memory exceeds the request's limit. A limit on the JavaScript heap alone would miss buffers and zlib output.
 */
export function serveParent<Q, A>({ handle, maxBytes }: Work<Q, A>): void {
  const startBytes = process.memoryUsage.rss();
  const busy = new Int32Array(new SharedArrayBuffer(4));
  const limit = new Float64Array(new SharedArrayBuffer(8));
  new Worker(watcher, { eval: true, workerData: { busy, maxBytes: limit } }).unref();

  const handleSafely = async (input: Q): Promise<ProcessReply<A>> => {
    try {
      return { value: await handle(input) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
  process.on("message", (input: Q) => {
    limit[0] = startBytes + maxBytes(input);
    Atomics.store(busy, 0, 1);
    Atomics.notify(busy, 0);
    void handleSafely(input).then((reply) => {
      Atomics.store(busy, 0, 0);
      process.send?.(reply);
    });
  });
  process.on("disconnect", () => process.exit());
}
