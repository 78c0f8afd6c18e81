import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Client } from "../../protocol/client.ts";
import { spawnEntry, spawnMain, type Child, type Exit } from "./server/child.ts";
import type { StoreFault } from "./server/faulty-stores.ts";
import { findFreePort } from "./free-port.ts";

/**
 * A Stonechat server in a process of its own, on a free loopback port that it keeps over restarts, with the scripted model
 * and the tools of `server/effects.ts`. Signals are real signals. It does not outlive the test process.
 */
export type ServerProcess = {
  readonly url: string;
  readonly client: Client;
  /** SQLite's file and the effects' lie here. */
  readonly dataDir: string;
  readonly databaseUrl?: string;
  readonly pid: () => number;
  /** Without waiting: SIGSTOP and SIGCONT, for instance. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Resolves when the process is gone; SIGKILL unless another signal is named. */
  readonly kill: (signal?: NodeJS.Signals) => Promise<Exit>;
  readonly exited: () => Promise<Exit>;
  /** Starts it again, ending it first if it still runs. Resolves when it is ready, rejects if it is killed before. */
  readonly restart: (options?: RestartOptions) => Promise<void>;
  /** `name` or `name:count` of a failpoint: the process kills itself there. */
  readonly arm: (failpoint: string) => Promise<void>;
  /** How long its event loop was held up since the last time this was asked; `longP99Ms` since it was asked with `fresh`. */
  readonly loopDelay: (fresh?: boolean) => Promise<LoopDelay>;
  /** What it wrote to stderr and stdout. */
  readonly output: () => string;
  /** Ends it, and removes its folder if it was made here. */
  readonly close: () => Promise<void>;
};

/**
 * `maxMs` and `p99Ms` are time, as the event loop measures its own delay. `cpuMs` is what the serving thread worked, and `heldMs` the most
 * it worked without turning to the loop: these do not depend on how busy the machine is.
 */
export type LoopDelay = {
  readonly maxMs: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
  readonly heldMs: number;
  readonly longP99Ms: number;
};

type Environment = Readonly<Record<string, string>>;
/** `env` is for this one start. `cold`: leave the spare alone, and take the time that a start takes. */
type RestartOptions = { readonly env?: Environment; readonly cold?: boolean };

export type ServerOptions = {
  readonly dataDir?: string;
  /** PostgreSQL; without it SQLite in `dataDir`. */
  readonly databaseUrl?: string;
  readonly env?: Environment;
  /** `main` is what `npm start` runs, without the tools for tests. */
  readonly program?: "tools" | "main";
  readonly fault?: StoreFault;
  /** Keeps one process loaded for the next restart, which then takes a moment instead of a second. */
  readonly spare?: boolean;
};

export async function startServer(options: ServerOptions = {}): Promise<ServerProcess> {
  const { program = "tools", fault = null, spare = false } = options;
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "stonechat-server-"));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    STONECHAT_PORT: String(port),
    STONECHAT_DATA: dataDir,
    STONECHAT_SCRIPTED: "1",
    STONECHAT_MODEL: "scripted/script",
    STONECHAT_LOG: "error",
    ...(options.databaseUrl === undefined ? {} : { STONECHAT_DATABASE_URL: options.databaseUrl }),
    ...options.env,
  };
  let reserve: Child | undefined;
  const spawnNext = (env: Environment, cold: boolean): Child => {
    const all = { ...settings, ...env };
    if (program === "main") return spawnMain(all);
    const next = (cold ? undefined : reserve) ?? spawnEntry();
    if (next === reserve) reserve = undefined;
    next.order({ do: "serve", env: all, fault });
    return next;
  };
  const isReady = async (): Promise<void> => {
    await child.said("Stonechat is ready");
    if (spare) reserve ??= spawnEntry();
  };

  let child = spawnNext({}, false);
  await isReady();
  const kill = (signal: NodeJS.Signals = "SIGKILL"): Promise<Exit> => {
    child.signal(signal);
    return child.exited;
  };
  return {
    url,
    client: createClient({ baseUrl: url }),
    dataDir,
    ...(options.databaseUrl === undefined ? {} : { databaseUrl: options.databaseUrl }),
    pid: () => child.pid,
    signal: (signal) => child.signal(signal),
    kill,
    exited: () => child.exited,
    restart: async ({ env = {}, cold = false } = {}) => {
      await kill();
      child = spawnNext(env, cold);
      await isReady();
    },
    arm: async (failpoint) => {
      child.order({ do: "arm", failpoint });
      await child.said(`armed: ${failpoint}`);
    },
    loopDelay: async (fresh = false) => {
      const id = ++lastDelay;
      child.order({ do: "delay", id, fresh });
      await child.said(`delay ${id}: `);
      const [line = ""] = (child.output().split(`delay ${id}: `)[1] ?? "").split(";", 1);
      const [maxMs = 0, p99Ms = 0, cpuMs = 0, heldMs = 0, longP99Ms = 0] = line.split(" ").map(Number);
      return { maxMs, p99Ms, cpuMs, heldMs, longP99Ms };
    },
    output: () => child.output(),
    close: async () => {
      reserve?.signal("SIGKILL");
      await Promise.all([kill(), reserve?.exited]);
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

let lastDelay = 0;
