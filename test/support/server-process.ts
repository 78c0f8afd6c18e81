import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Client } from "../../protocol/client.ts";
import { spawnEntry, spawnMain, type Child, type Exit } from "./server/child.ts";
import type { StoreFault } from "./server/faulty-stores.ts";
import { findFreePort } from "./free-port.ts";

/**
 * A Stonechat server in a separate process, on a free loopback port that it keeps over restarts, with the scripted
 * model and the tools of `server/effects.ts`. Signals are real. It does not outlive the test process.
 */
export type ServerProcess = {
  readonly url: string;
  readonly client: Client;
  /** Contains the SQLite file and the effects file. */
  readonly dataDir: string;
  readonly databaseUrl?: string;
  readonly pid: () => number;
  /** Sends a signal without waiting, such as SIGSTOP or SIGCONT. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Resolves when the process has exited; SIGKILL by default. */
  readonly kill: (signal?: NodeJS.Signals) => Promise<Exit>;
  readonly exited: () => Promise<Exit>;
  /** Starts it again, killing it first if it still runs. Resolves when it is ready, rejects if it is killed before. */
  readonly restart: (options?: RestartOptions) => Promise<void>;
  /** `name` or `name:count` of a failpoint: the process kills itself there. */
  readonly arm: (failpoint: string) => Promise<void>;
  /** Delay of its event loop since the last call; `longP99Ms` since the last call with `fresh`. */
  readonly loopDelay: (fresh?: boolean) => Promise<LoopDelay>;
  /** Its stderr and stdout. */
  readonly output: () => string;
  /** Stops it, and removes its folder if it was created here. */
  readonly close: () => Promise<void>;
};

/**
 * `maxMs` and `p99Ms` are the event loop's own measurement of its delay. `cpuMs` is the CPU time of the serving thread,
 * and `heldMs` its longest uninterrupted CPU time: these do not depend on the machine's load.
 */
export type LoopDelay = {
  readonly maxMs: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
  readonly heldMs: number;
  readonly longP99Ms: number;
};

type Environment = Readonly<Record<string, string>>;
/** `env` is for this start only. `cold`: do not use the spare process. */
type RestartOptions = { readonly env?: Environment; readonly cold?: boolean };

export type ServerOptions = {
  readonly dataDir?: string;
  /** PostgreSQL; SQLite in `dataDir` by default. */
  readonly databaseUrl?: string;
  readonly env?: Environment;
  /** `main` is the program of `npm start`, without the test tools. */
  readonly program?: "tools" | "main";
  readonly fault?: StoreFault;
  /** Keeps one process loaded for the next restart, which is then faster. */
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
    STONECHAT_TITLES: "off",
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
