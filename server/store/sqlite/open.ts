import { Worker } from "node:worker_threads";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Store } from "../contract.ts";
import { StorageFull, Unavailable } from "../failure.ts";
import { createReads } from "../reads/reads.ts";
import { nowMs } from "./commit.ts";
import { openConnection, type Connection } from "./connection.ts";
import { takeLock, type Lock } from "./lock.ts";
import { ensureMeta, migrate, readMeta, writeMeta } from "./migrate.ts";
import { openReaders } from "./reader.ts";
import { search } from "./search.ts";
import type { WriterRequest } from "./writer.ts";

type Options = {
  readonly file: string;
  /** NORMAL is for the power-loss control only: it loses acknowledged commits. */
  readonly synchronous?: "FULL" | "NORMAL";
};

export async function openSqlite({ file, synchronous = "FULL" }: Options): Promise<Store> {
  mkdirSync(dirname(file), { recursive: true });
  const lock = takeLock(file);
  try {
    prepare(file, synchronous);
    return await serve(file, synchronous, lock);
  } catch (error) {
    lock.release();
    throw isDamage(error) ? toDamage(file, (error as Error).message) : error;
  }
}

async function serve(file: string, synchronous: "FULL" | "NORMAL", lock: Lock): Promise<Store> {
  const readers = openReaders(file, synchronous);
  const writer = await startWriter(file, synchronous);
  return {
    kind: "sqlite",
    commit: (batches) => writer.ask({ do: "commit", batches }),
    read: createReads(readers.single, {
      nowMs,
      search,
      inSnapshot: (_, read) => readers.together.transaction().execute(read),
    }),
    renewLeases: (holder, streams, ttlMs) => writer.ask({ do: "renew", holder, streams, ttlMs }),
    onForeignCommit: () => {},
    ping: async () => void (await writer.ask({ do: "commit", batches: [] })),
    close: async () => {
      await readers.close();
      await writer.ask({ do: "close" });
      await writer.end();
      markStopped(file, synchronous);
      lock.release();
    },
  };
}

/** Before anyone is served: schema, a check of the file if the last stop was not clean, and no lease of an earlier start. */
function prepare(file: string, synchronous: "FULL" | "NORMAL"): void {
  const db = openConnection({ file, synchronous });
  try {
    ensureMeta(db);
    if (readMeta(db, "stopped") !== "clean") checkIntegrity(db, file);
    migrate(db, file);
    writeMeta(db, "stopped", "no");
    db.prepare("update streams set epoch = epoch + 1, holder = null, lease_until = 0 where holder is not null").run();
  } finally {
    db.close();
  }
}

function checkIntegrity(db: Connection, file: string): void {
  const found = db.pragma("quick_check(1)", { simple: true });
  if (found !== "ok") throw toDamage(file, String(found).replace(/^.*\n/, ""));
}

const toDamage = (file: string, found: string): Error =>
  new Error(`${file} is damaged (${found}). Restore a backup, or move the file away to start empty`);

const isDamage = (error: unknown): boolean =>
  ["SQLITE_CORRUPT", "SQLITE_NOTADB"].some((code) => (error as { code?: string }).code?.startsWith(code));

function markStopped(file: string, synchronous: "FULL" | "NORMAL"): void {
  const db = openConnection({ file, synchronous });
  writeMeta(db, "stopped", "clean");
  db.close();
}

type Ask = WriterRequest extends infer R ? (R extends WriterRequest ? Omit<R, "id"> : never) : never;
type Waiting = { readonly resolve: (value: never) => void; readonly reject: (error: Error) => void };
type Answer = { id: number; result?: never; error?: { message: string; code?: string } };

async function startWriter(file: string, synchronous: "FULL" | "NORMAL") {
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
  await ask({ do: "commit", batches: [] });
  const end = () => {
    ending = true;
    return worker.terminate();
  };
  return { ask, end };
}

function toFailure({ message, code = "" }: { message: string; code?: string }): Error {
  if (code === "SQLITE_FULL") return new StorageFull("the disk is full: free some space and try again");
  if (code.startsWith("SQLITE_IOERR") || code.startsWith("SQLITE_BUSY"))
    return new Unavailable(`the database cannot write: ${message}`);
  return new Error(message);
}
