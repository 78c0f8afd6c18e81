import { Worker } from "node:worker_threads";
import { StorageFull, Unavailable } from "../failure.ts";
import type { WriterRequest } from "./writer.ts";

export type Writer = {
  readonly ask: <T>(request: Ask) => Promise<T>;
  /** After what was asked before, with the database closed; rejects when that failed. */
  readonly close: () => Promise<void>;
};

type Ask = WriterRequest extends infer R ? (R extends { readonly id: number } ? Omit<R, "id"> : never) : never;
type Waiting = { readonly resolve: (value: never) => void; readonly reject: (error: Error) => void };
type Answer = { id: number; result?: never; error?: { message: string; code?: string } };

/** `onAnswer` is called before whoever asked hears of it. */
export async function startWriter(file: string, synchronous: "FULL" | "NORMAL", onAnswer: () => void): Promise<Writer> {
  const worker = new Worker(new URL("./writer.ts", import.meta.url), { workerData: { file, synchronous } });
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let gone: Error | undefined;
  let ending = false;
  /** A store that cannot write any more is no store: the process ends, and whoever watches over it starts it again. */
  const leave = (error: Error) => {
    gone ??= error;
    for (const { reject } of waiting.values()) reject(gone);
    waiting.clear();
    if (ending) return;
    ending = true;
    setImmediate(() => {
      throw error;
    });
  };
  worker.on("message", ({ id, result, error }: Answer) => {
    onAnswer();
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error) asked?.reject(toFailure(error));
    else asked?.resolve(result as never);
  });
  worker.on("error", leave);
  worker.on("exit", () => leave(new Unavailable("the database's writing thread has ended")));
  const ask = <T>(request: Ask): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (gone) return reject(gone);
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      worker.postMessage({ ...request, id });
    });
  await ask({ do: "commit", batches: "[]" });
  const close = () =>
    new Promise<void>((resolve, reject) => {
      if (gone) return reject(gone);
      ending = true;
      worker.once("error", reject).once("exit", () => resolve());
      worker.postMessage({ do: "close" } satisfies WriterRequest);
    });
  return { ask, close };
}

function toFailure({ message, code = "" }: { message: string; code?: string }): Error {
  if (code === "SQLITE_FULL") return new StorageFull("the disk is full: free some space and try again");
  if (code.startsWith("SQLITE_IOERR") || code.startsWith("SQLITE_BUSY"))
    return new Unavailable(`the database cannot write: ${message}`);
  return new Error(message);
}
