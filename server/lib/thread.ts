import { parentPort, Worker } from "node:worker_threads";

/**
 * Pure work that would hold up the serving thread, in a thread of its own. Questions are answered one after another. The thread starts with
 * the first question, ends when idle, and keeps no process alive.
 */
export type WorkThread<Q, A> = {
  readonly ask: (question: Q) => Promise<A>;
  readonly close: () => Promise<void>;
};

type Waiting<A> = { readonly resolve: (value: A) => void; readonly reject: (error: unknown) => void };
type Answer<A> = { readonly value: A } | { readonly error: { readonly message: string; readonly code?: unknown } };
type Thread<A> = { readonly worker: Worker; readonly waiting: Waiting<A>[] };

const IDLE_MS = 60_000;
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 };

/** `file` calls `answerThread`. */
export function createThread<Q, A>(file: URL, workerData?: unknown): WorkThread<Q, A> {
  let thread: Thread<A> | undefined;
  let idle: NodeJS.Timeout | undefined;

  const start = (): Thread<A> => {
    const started: Thread<A> = { worker: new Worker(file, { workerData, resourceLimits }), waiting: [] };
    const lose = (error: unknown): void => {
      if (thread === started) thread = undefined;
      for (const { reject } of started.waiting.splice(0)) reject(error);
    };
    started.worker.on("message", (answer: Answer<A>) => {
      const asked = started.waiting.shift();
      if ("error" in answer) asked?.reject(Object.assign(new Error(answer.error.message), { code: answer.error.code }));
      else asked?.resolve(answer.value);
      if (started.waiting.length > 0) return;
      started.worker.unref();
      idle = setTimeout(() => void end(), IDLE_MS).unref();
    });
    started.worker.on("error", lose);
    started.worker.on("exit", () => lose(new Error("This work ended before it was done.")));
    return started;
  };

  const end = async (): Promise<void> => {
    clearTimeout(idle);
    const ended = thread;
    thread = undefined;
    await ended?.worker.terminate();
  };
  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        clearTimeout(idle);
        thread ??= start();
        thread.waiting.push({ resolve, reject });
        thread.worker.ref();
        thread.worker.postMessage(question);
      }),
    close: end,
  };
}

export function answerThread<Q, A>(answer: (question: Q) => A): void {
  parentPort?.on("message", (question: Q) => {
    try {
      parentPort?.postMessage({ value: answer(question) } satisfies Answer<A>);
    } catch (error) {
      const { message = String(error), code } = error as { message?: string; code?: unknown };
      parentPort?.postMessage({ error: { message, code } } satisfies Answer<A>);
    }
  });
}
