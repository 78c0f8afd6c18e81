import { fork, type ChildProcess } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { fileURLToPath } from "node:url";
import type { ProcessReply } from "./bounded-process-child.ts";

/**
 * Runs work that may use too much memory or time in a separate process, which is killed at its limit. It cannot write
 * files or start processes and gets no environment variables. Requests are handled one at a time.
 */
export type BoundedProcess<Q, A> = {
  /** Rejects with `LimitExceeded` at a limit, and with the work's error message if it throws. */
  readonly request: (input: Q) => Promise<A>;
  readonly close: () => Promise<void>;
};

/** The process exceeded a limit or crashed. */
export class LimitExceeded extends Error {
  override readonly name = "LimitExceeded";
  readonly limit: "time" | "memory" | "crash";
  constructor(limit: "time" | "memory" | "crash") {
    super(messages[limit]);
    this.limit = limit;
  }
}
const messages = {
  time: "This takes longer than allowed.",
  memory: "This needs more memory than allowed.",
  crash: "This cannot be read because the reader process crashed.",
} as const;

type Options = {
  /** The child's entry file, which calls `serveParent`. */
  readonly file: URL;
  readonly timeoutMs: number;
  /** The only folder that it may write to. */
  readonly writableFolder?: string;
  /** Requests that may wait; further ones are rejected at once. */
  readonly maxWaiting?: number;
  /** The process exits after this long without a request; the next request starts a new one. */
  readonly idleMs?: number;
};

const flags = [
  "--permission",
  "--allow-fs-read=*",
  // Required by the thread that watches memory.
  "--allow-worker",
  "--no-warnings",
  "--max-semi-space-size=4",
  "--max-old-space-size=384",
];

export function createBoundedProcess<Q extends object, A>(options: Options): BoundedProcess<Q, A> {
  const { file, timeoutMs, writableFolder, maxWaiting = 200, idleMs = 5 * 60_000 } = options;
  let child: ChildProcess | undefined;
  let isUsed = false;
  let idle: NodeJS.Timeout | undefined;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  const start = (): ChildProcess => {
    const cache = getCompileCacheDir();
    isUsed = false;
    const started = fork(fileURLToPath(file), [], {
      execArgv: writableFolder === undefined ? flags : [...flags, `--allow-fs-write=${writableFolder}`],
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: cache },
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    started.once("exit", () => {
      if (child === started) child = undefined;
    });
    return started;
  };
  const end = async (): Promise<void> => {
    clearTimeout(idle);
    const ended = child;
    child = undefined;
    if (!ended || ended.exitCode !== null || ended.signalCode !== null) return;
    await new Promise((resolve) => {
      ended.once("exit", resolve);
      ended.kill("SIGKILL");
    });
  };
  const sendNow = (input: Q): Promise<ProcessReply<A>> =>
    send<Q, A>((child ??= start()), input, timeoutMs).catch(async (error: unknown) => {
      await end();
      throw error;
    });
  /** Memory that an earlier request left behind counts for the next one, which then gets a new process. */
  const sendOrRestart = (input: Q): Promise<ProcessReply<A>> =>
    sendNow(input).catch((error: unknown) => {
      if (isUsed && error instanceof LimitExceeded && error.limit === "memory") return sendNow(input);
      throw error;
    });
  const requestNow = async (input: Q): Promise<A> => {
    clearTimeout(idle);
    const reply = await sendOrRestart(input);
    isUsed = true;
    idle = setTimeout(() => void end(), idleMs).unref();
    if ("error" in reply) throw new Error(reply.error);
    return reply.value;
  };
  return {
    request: (input) => {
      if (waiting > maxWaiting) return Promise.reject(new LimitExceeded("time"));
      waiting += 1;
      const result = last.then(() => requestNow(input)).finally(() => (waiting -= 1));
      last = result.catch(() => {});
      return result;
    },
    close: async () => {
      await last;
      await end();
    },
  };
}

/** An idle child does not keep this process alive; a busy one does. */
function send<Q extends object, A>(child: ChildProcess, input: Q, timeoutMs: number): Promise<ProcessReply<A>> {
  return new Promise((resolve, reject) => {
    const receive = (value: ProcessReply<A>): void => settle(() => resolve(value));
    const fail = (): void => settle(() => reject(new LimitExceeded("crash")));
    // Not killed by us: it killed itself at its limit, V8 ran out of heap, or the system ran out of memory.
    const exit = (_: number | null, signal: NodeJS.Signals | null): void =>
      settle(() => reject(new LimitExceeded(signal === "SIGKILL" || signal === "SIGABRT" ? "memory" : "crash")));
    const timer = setTimeout(() => settle(() => reject(new LimitExceeded("time"))), timeoutMs);
    const settle = (then: () => void): void => {
      clearTimeout(timer);
      child.off("message", receive).off("error", fail).off("exit", exit);
      child.unref();
      child.channel?.unref();
      then();
    };
    child.on("message", receive).on("error", fail).on("exit", exit);
    child.ref();
    child.channel?.ref();
    child.send(input, (error) => {
      if (error) fail();
    });
  });
}
