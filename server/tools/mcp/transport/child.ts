import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { sleep } from "../../../lib/sleep.ts";
import type { StdioSettings } from "../mcp-file.ts";

/** A server's program with everything it starts: one process group, ended as one. */
export type Child = {
  readonly process: ChildProcess;
  /** Resolves when it runs; rejects when it cannot be started. */
  readonly started: Promise<void>;
  /** Resolves when the program has ended and its pipes are closed, whoever ended it. */
  readonly ended: Promise<Ended>;
  /** Asks, then insists; the group is gone within two seconds. */
  readonly end: () => Promise<void>;
};

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

const POLITE_MS = 250;
const PATIENT_MS = 1000;
/** A process that left the group may hold the pipes open for ever. */
const PIPES_MS = 200;

/** It sees the variables that the operator's file names for it, and those given here; never this process's own. */
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
  // What it left behind goes with it.
  child.once("exit", () => kill("SIGKILL"));

  const end = async (): Promise<void> => {
    if (pid === undefined) return;
    child.stdin?.end();
    if (await isOver(ended, POLITE_MS)) return;
    kill("SIGTERM");
    if (await isOver(ended, PATIENT_MS)) return;
    kill("SIGKILL");
    await ended;
  };
  return { process: child, started, ended, end };
}

/** By the id of the group that this process made, which exists as long as one of its members does. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // All of it is gone already.
  }
}

const isOver = (ended: Promise<Ended>, ms: number): Promise<boolean> => {
  const patience = new AbortController();
  const over = ended.then(() => {
    patience.abort();
    return true;
  });
  return Promise.race([over, sleep(ms, patience.signal).then(() => patience.signal.aborted)]);
};

function watchEnd(child: ChildProcess): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
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
