import { Worker } from "node:worker_threads";
import type { Page, Source } from "./page.ts";

export type Reader = {
  /** Pages are read one after another; the time limit counts from a page's turn. */
  readonly read: (source: Source) => Promise<Page>;
  readonly close: () => Promise<void>;
};
type Options = { readonly worker?: URL; readonly timeoutMs?: number };
type Answer = { readonly page: Page } | { readonly error: string };

/** A page that needs more memory than this is refused, and takes only its own thread with it. */
const maxMemoryMb = 512;

/** One thread, started with the first page. It ends, and the next page gets another, when a page hangs or breaks it. */
export function createReader(options: Options = {}): Reader {
  const { worker: file = new URL("./worker.ts", import.meta.url), timeoutMs = 15_000 } = options;
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const getWorker = (): Worker =>
    (worker ??= new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb } }));
  const drop = async (): Promise<void> => {
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  };
  const readNow = async (source: Source): Promise<Page> => {
    const answer = await ask(getWorker(), source, timeoutMs).catch(async (error: unknown) => {
      await drop();
      throw error;
    });
    if ("error" in answer) throw new Error(`the page cannot be read: ${answer.error}`);
    return answer.page;
  };
  return {
    read: (source) => {
      const page = last.then(() => readNow(source));
      last = page.catch(() => {});
      return page;
    },
    close: async () => {
      await last;
      await drop();
    },
  };
}

/** An idle thread does not keep the process alive; one that reads does. */
function ask(worker: Worker, source: Source, timeoutMs: number): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    const fail = (error: Error): void => settle(() => reject(error));
    const leave = (): void => fail(new Error("the page cannot be read: its thread has ended"));
    const answer = (value: Answer): void => settle(() => resolve(value));
    const timer = setTimeout(
      () => fail(new Error(`reading the page took longer than ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    const settle = (then: () => void): void => {
      clearTimeout(timer);
      worker.off("message", answer).off("error", fail).off("exit", leave);
      worker.unref();
      then();
    };
    worker.on("message", answer).on("error", fail).on("exit", leave);
    worker.ref();
    worker.postMessage(source);
  });
}
