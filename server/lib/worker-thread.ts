import { parentPort, Worker } from "node:worker_threads";

/**
 * Runs pure, slow work in a worker thread, so that it does not block the server. Requests are handled one at a time. The
 * thread starts with the first request, stops when idle, and does not keep the process alive.
 */
type WorkerThread<Q, A> = {
  readonly request: (request: Q) => Promise<A>;
  readonly close: () => Promise<void>;
};

type Waiting<A> = { readonly resolve: (value: A) => void; readonly reject: (error: unknown) => void };
type Reply<A> = { readonly value: A } | { readonly error: { readonly message: string; readonly code?: unknown } };
type Thread<A> = { readonly worker: Worker; readonly waiting: Waiting<A>[] };

const IDLE_MS = 60_000;
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 };

/** `file` calls `serveWorker`. */
export function createWorkerThread<Q, A>(file: URL, workerData?: unknown): WorkerThread<Q, A> {
  let thread: Thread<A> | undefined;
  let idle: NodeJS.Timeout | undefined;

  const start = (): Thread<A> => {
    const started: Thread<A> = { worker: new Worker(file, { workerData, resourceLimits }), waiting: [] };
    const rejectAll = (error: unknown): void => {
      if (thread === started) thread = undefined;
      for (const { reject } of started.waiting.splice(0)) reject(error);
    };
    started.worker.on("message", (reply: Reply<A>) => {
      const caller = started.waiting.shift();
      if ("error" in reply) caller?.reject(Object.assign(new Error(reply.error.message), { code: reply.error.code }));
      else caller?.resolve(reply.value);
      if (started.waiting.length > 0) return;
      started.worker.unref();
      idle = setTimeout(() => void end(), IDLE_MS).unref();
    });
    started.worker.on("error", rejectAll);
    started.worker.on("exit", () => rejectAll(new Error("The worker thread exited before it finished. Try again.")));
    return started;
  };

  const end = async (): Promise<void> => {
    clearTimeout(idle);
    const ended = thread;
    thread = undefined;
    await ended?.worker.terminate();
  };
  return {
    request: (request) =>
      new Promise((resolve, reject) => {
        clearTimeout(idle);
        thread ??= start();
        thread.waiting.push({ resolve, reject });
        thread.worker.ref();
        thread.worker.postMessage(request);
      }),
    close: end,
  };
}

/** Called in the worker's file: handles requests with `handle`. If it returns promises, there must be one request at a time. */
export function serveWorker<Q, A>(handle: (request: Q) => A | Promise<A>): void {
  const answer = async (request: Q): Promise<void> => {
    try {
      parentPort?.postMessage({ value: await handle(request) } satisfies Reply<A>);
    } catch (error) {
      const { message = String(error), code } = error as { message?: string; code?: unknown };
      parentPort?.postMessage({ error: { message, code } } satisfies Reply<A>);
    }
  };
  parentPort?.on("message", (request: Q) => void answer(request));
}
