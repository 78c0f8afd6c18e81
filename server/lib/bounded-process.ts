import { fork, type ChildProcess } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { fileURLToPath } from "node:url";
import type { ProcessReply } from "./answer-parent.ts";

/**
 * Work that may take too much memory or time, in a process of its own: it is killed at its limit, and takes nothing with it.
 * It cannot write files or start processes, and gets none of the environment. Questions are answered one after another.
 */
export type BoundedProcess<Q, A> = {
  /** Rejects with an `OutOfBounds` at a limit, and with the message of whatever `answer` threw. */
  readonly ask: (question: Q) => Promise<A>;
  readonly close: () => Promise<void>;
};

/** The work was killed: it passed a limit, or its process ended by itself. */
export class OutOfBounds extends Error {
  override readonly name = "OutOfBounds";
  readonly limit: "time" | "memory" | "crash";
  constructor(limit: "time" | "memory" | "crash") {
    super(messages[limit]);
    this.limit = limit;
  }
}
const messages = {
  time: "This takes longer than allowed.",
  memory: "This needs more memory than allowed.",
  crash: "This cannot be read: its reader crashed.",
} as const;

type Options = {
  /** Calls `answerParent`. */
  readonly file: URL;
  readonly timeoutMs: number;
  /** Questions that may wait; one more is refused with `tooMany`. */
  readonly mostWaiting?: number;
  /** Without a question for this long, the process ends; the next question starts another. */
  readonly idleMs?: number;
};

const flags = [
  "--permission",
  "--allow-fs-read=*",
  // For the thread that watches the memory.
  "--allow-worker",
  "--no-warnings",
  "--max-semi-space-size=4",
  "--max-old-space-size=384",
];

export function createBoundedProcess<Q extends object, A>(options: Options): BoundedProcess<Q, A> {
  const { file, timeoutMs, mostWaiting = 200, idleMs = 5 * 60_000 } = options;
  let child: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  const start = (): ChildProcess => {
    const cache = getCompileCacheDir();
    const started = fork(fileURLToPath(file), [], {
      execArgv: flags,
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
  const askNow = async (question: Q): Promise<A> => {
    clearTimeout(idle);
    const answered = await send<Q, A>((child ??= start()), question, timeoutMs).catch(async (error: unknown) => {
      await end();
      throw error;
    });
    idle = setTimeout(() => void end(), idleMs).unref();
    if ("error" in answered) throw new Error(answered.error);
    return answered.value;
  };
  return {
    ask: (question) => {
      if (waiting > mostWaiting) return Promise.reject(new OutOfBounds("time"));
      waiting += 1;
      const answer = last.then(() => askNow(question)).finally(() => (waiting -= 1));
      last = answer.catch(() => {});
      return answer;
    },
    close: async () => {
      await last;
      await end();
    },
  };
}

/** An idle child does not keep this process alive; one that works does. */
function send<Q extends object, A>(child: ChildProcess, question: Q, timeoutMs: number): Promise<ProcessReply<A>> {
  return new Promise((resolve, reject) => {
    const answer = (value: ProcessReply<A>): void => settle(() => resolve(value));
    const fail = (): void => settle(() => reject(new OutOfBounds("crash")));
    // Killed by nobody here: by itself at its limit, by V8 out of heap, or by a system out of memory.
    const exit = (_: number | null, signal: NodeJS.Signals | null): void =>
      settle(() => reject(new OutOfBounds(signal === "SIGKILL" || signal === "SIGABRT" ? "memory" : "crash")));
    const timer = setTimeout(() => settle(() => reject(new OutOfBounds("time"))), timeoutMs);
    const settle = (then: () => void): void => {
      clearTimeout(timer);
      child.off("message", answer).off("error", fail).off("exit", exit);
      child.unref();
      child.channel?.unref();
      then();
    };
    child.on("message", answer).on("error", fail).on("exit", exit);
    child.ref();
    child.channel?.ref();
    child.send(question, (error) => {
      if (error) fail();
    });
  });
}
