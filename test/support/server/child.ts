import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { Order } from "./entry.ts";

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** One server process, from spawn to exit. */
export type Child = {
  readonly pid: number;
  readonly order: (order: Order) => void;
  /** Resolves once its output contains `words`; rejects with all output if it exits before. */
  readonly said: (words: string) => Promise<void>;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly exited: Promise<Exit>;
  readonly output: () => string;
};

const root = join(import.meta.dirname, "../../..");

/** For processes of tests: with the compiled code of earlier ones they start in half of the time. */
export const withCompileCache = { NODE_COMPILE_CACHE: join(root, ".runtime/compile-cache") } as const;

export const spawnEntry = (): Child => watch(spawnNode("test/support/server/entry.ts", "pipe", {}));

export const spawnMain = (env: Readonly<Record<string, string>>): Child =>
  watch(spawnNode("server/main.ts", "ignore", env));

function spawnNode(file: string, stdin: "pipe" | "ignore", env: Readonly<Record<string, string>>): ChildProcess {
  // Settings of the developer's environment must not reach the servers under test.
  const own = Object.entries(process.env).filter(
    ([name]) => !/^STONECHAT_|_API_KEY$|_BASE_URL$|^NODE_OPTIONS$/.test(name),
  );
  return spawn(process.execPath, [join(root, file)], {
    cwd: root,
    stdio: [stdin, "pipe", "pipe"],
    env: { ...Object.fromEntries(own), ...withCompileCache, ...env },
  });
}

function watch(child: ChildProcess): Child {
  let [stdout, stderr] = ["", ""];
  const waiting = new Set<() => void>();
  const exited = new Promise<Exit>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (const look of waiting) look();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  // It may have been killed in the meantime; writes to it are then ignored.
  child.stdin?.on("error", () => {});
  return {
    pid: child.pid ?? 0,
    order: (order) => void child.stdin?.write(`${JSON.stringify(order)}\n`),
    said: (words) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!stdout.includes(words)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void exited.then(({ code, signal }) =>
          reject(new Error(`The server exited (${signal ?? code}) before it printed "${words}".\n${stderr}${stdout}`)),
        );
      }),
    signal: (signal) => void child.kill(signal),
    exited,
    output: () => stderr + stdout,
  };
}
