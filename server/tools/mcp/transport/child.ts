import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { sleep } from "../../../lib/sleep.ts";
import type { StdioSettings } from "../mcp-file.ts";

/** A server's program. It and its descendants form one process group, which is ended together. */
export type Child = {
  readonly process: ChildProcess;
  /** Rejects if the program cannot be started. */
  readonly started: Promise<void>;
  /** Resolves when the program has exited and its pipes are closed. */
  readonly ended: Promise<ExitStatus>;
  /** Closes stdin, then sends SIGTERM, then SIGKILL. The group is gone within two seconds. */
  readonly end: () => Promise<void>;
};

type ExitStatus = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

const STDIN_CLOSED_MS = 250;
const SIGTERM_MS = 1000;
/** A process that left the group may keep the pipes open forever. */
const PIPES_MS = 200;

/** The program's environment is `environment` and the variables in the operator's file, never this process's own. */
export function startChild(settings: StdioSettings, environment: Readonly<Record<string, string>>): Child {
  const child = spawn(settings.command, [...settings.args], {
    cwd: settings.cwd,
    env: { ...environment, ...settings.env },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
    shell: false,
    windowsHide: true,
  });
  const { pid } = child;
  const started = once(child, "spawn").then(() => undefined);
  const ended = watchEnd(child);
  child.on("error", () => {});

  const kill = (signal: NodeJS.Signals): void => {
    if (pid !== undefined) signalGroup(pid, signal);
  };
  // Also ends any child processes it left behind.
  child.once("exit", () => kill("SIGKILL"));

  const end = async (): Promise<void> => {
    if (pid === undefined) return;
    child.stdin?.end();
    if (await endsWithin(ended, STDIN_CLOSED_MS)) return;
    kill("SIGTERM");
    if (await endsWithin(ended, SIGTERM_MS)) return;
    kill("SIGKILL");
    await ended;
  };
  return { process: child, started, ended, end };
}

/** The group id stays valid as long as one member of the group exists. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The whole group has already exited.
  }
}

const endsWithin = (ended: Promise<ExitStatus>, ms: number): Promise<boolean> => {
  const timer = new AbortController();
  const over = ended.then(() => {
    timer.abort();
    return true;
  });
  return Promise.race([over, sleep(ms, timer.signal).then(() => timer.signal.aborted)]);
};

function watchEnd(child: ChildProcess): Promise<ExitStatus> {
  const { promise, resolve } = Promise.withResolvers<ExitStatus>();
  const finish = (): void => resolve({ code: child.exitCode, signal: child.signalCode });
  child.once("close", finish);
  child.once("error", () => child.pid === undefined && finish());
  child.once("exit", () => {
    const timer = setTimeout(() => {
      for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy();
      finish();
    }, PIPES_MS);
    void promise.finally(() => clearTimeout(timer));
  });
  return promise;
}
