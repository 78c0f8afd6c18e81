import { fork, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { startPostgres, type Postgres } from "../test/support/postgres.ts";
import type { Contestant } from "./load/conversation.ts";
import type { Order } from "./load/client.ts";
import type { LoadFigures, Load } from "./load/streams.ts";
import type { Turns, TurnTimes } from "./load/turns.ts";
import { readTreeCpuUs } from "./process-cpu.ts";
import type { Request, Usage } from "./servers/control.ts";

/**
 * Runs the benchmark processes: a separate one for each server and one for the client. `close` ends all of them. Databases
 * are created on the project's disk, so that an fsync really syncs.
 */
export type Arena = {
  readonly start: (name: ServerName, options?: StartOptions) => Promise<Server>;
  /** `pinned`: to another core than pinned servers. */
  readonly client: (options?: { readonly pinned: boolean }) => Promise<Client>;
  /** An empty folder for SQLite, or the URL of an empty PostgreSQL database. */
  readonly createPlace: (database: Database) => Promise<Place>;
  readonly close: () => Promise<void>;
};

export type Database = "sqlite" | "postgres";
export type ServerName = "bare" | "ai-sdk" | Database;
export type Place = { readonly directory: string; readonly databaseUrl: string };
export type StartOptions = {
  /** An existing database; by default an empty one is created. */
  readonly place?: Place;
  /** Pins all threads of the server to one core. */
  readonly pinned?: boolean;
  /** Ours writes a title after the first answer of a thread. Off by default, because the other servers write none. */
  readonly titles?: boolean;
};

export type Server = Contestant & {
  readonly name: ServerName;
  /** CPU of the server process, on PostgreSQL with the database's processes. */
  readonly usage: (after?: "garbage collection") => Promise<Usage>;
  /** Ends every running answer at its next delta. */
  readonly halt: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type Client = {
  /** Conversations for the next load. */
  readonly open: (load: Pick<Load, "contestant" | "streams">) => Promise<void>;
  readonly load: (load: Load) => Promise<LoadFigures>;
  /** Measures the running streams for this long. */
  readonly sample: (lengthMs: number) => Promise<LoadFigures>;
  readonly turns: (turns: Turns) => Promise<readonly TurnTimes[]>;
  readonly drain: () => Promise<void>;
};

type Options = { readonly profileDir?: string | undefined };

const serverFile: Record<ServerName, string> = {
  bare: "bare.ts",
  "ai-sdk": "ai-sdk.ts",
  sqlite: "stonechat.ts",
  postgres: "stonechat.ts",
};
/** The options of `npm start`, for every contestant. */
const serverFlags = JSON.parse(
  readFileSync(join(import.meta.dirname, "../scripts/server-flags.json"), "utf8"),
) as readonly string[];
const runtimeDir = join(import.meta.dirname, "../.runtime");

/** The core of pinned servers. The client has the next one. */
export const SERVER_CPU = 0;

/** Only if the machine supports it; the report says so. */
export const canPin = (): boolean => availableParallelism() > 1 && existsSync("/usr/bin/taskset");

export function createArena({ profileDir }: Options = {}): Arena {
  mkdirSync(runtimeDir, { recursive: true });
  const home = mkdtempSync(join(runtimeDir, "bench-"));
  const children = new Set<ChildProcess>();
  let database: Promise<Postgres> | undefined;

  const launch = (file: string, args: readonly string[], core?: number): ChildProcess => {
    const profiling = profileDir && file.includes("servers") ? ["--cpu-prof", `--cpu-prof-dir=${profileDir}`] : [];
    const own = file.startsWith("servers/") ? serverFlags : [];
    const flags = ["--expose-gc", "--disable-warning=ExperimentalWarning", ...own, ...profiling];
    const pin = core !== undefined && canPin();
    const child = fork(join(import.meta.dirname, file), args, {
      ...(pin ? { execPath: "/usr/bin/taskset" } : {}),
      execArgv: pin ? ["-c", String(core), process.execPath, ...flags] : flags,
      env: { ...process.env, NODE_ENV: "production" },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    children.add(child);
    child.once("exit", () => children.delete(child));
    return child;
  };

  const createPlace = async (kind: Database): Promise<Place> => {
    const directory = mkdtempSync(join(home, "place-"));
    database ??= kind === "postgres" ? startPostgres() : undefined;
    return { directory, databaseUrl: kind === "postgres" ? ((await (await database)?.createDatabase()) ?? "") : "" };
  };

  const clients = new Map<boolean, Promise<Client>>();
  return {
    createPlace,
    start: async (name, { place, pinned = false, titles = false } = {}) => {
      const isOurs = name === "sqlite" || name === "postgres";
      const at = isOurs ? (place ?? (await createPlace(name))) : undefined;
      const args = at ? [at.directory, at.databaseUrl, titles ? "on" : "off"] : [];
      const child = launch(`servers/${serverFile[name]}`, args, pinned ? SERVER_CPU : undefined);
      const { url } = await firstMessage<{ url: string }>(child);
      const ask = createAsk(child);
      const tell = async (what: Request["do"]) => ((await ask({ do: what })) as { usage: Usage }).usage;
      const postmaster = name === "postgres" ? (await database)?.pid() : undefined;
      return {
        name,
        kind: isOurs ? "stonechat" : "chat",
        url,
        usage: async (after) => {
          const { cpuUs, rssBytes } = await tell(after ? "settled-usage" : "usage");
          return { cpuUs: cpuUs + (postmaster === undefined ? 0 : readTreeCpuUs(postmaster)), rssBytes };
        },
        halt: async () => void (await tell("halt")),
        close: () => end(child),
      };
    },
    client: ({ pinned } = { pinned: false }) => {
      const known =
        clients.get(pinned) ?? startClient(launch("load/client.ts", [], pinned ? SERVER_CPU + 1 : undefined));
      clients.set(pinned, known);
      return known;
    },
    close: async () => {
      await Promise.all([...children].map(end));
      await (await database)?.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function startClient(child: ChildProcess): Promise<Client> {
  const ask = createAsk(child);
  const order = async (order: Order): Promise<unknown> => {
    const reply = (await ask({ order })) as { result?: unknown; error?: string };
    if (reply.error !== undefined) throw new Error(reply.error);
    return reply.result;
  };
  return {
    open: async (load) => void (await order({ do: "open", ...load })),
    load: async (load) => (await order({ do: "streams", ...load })) as LoadFigures,
    sample: async (lengthMs) => (await order({ do: "sample", lengthMs })) as LoadFigures,
    turns: async (turns) => (await order({ do: "turns", ...turns })) as readonly TurnTimes[],
    drain: async () => void (await order({ do: "drain" })),
  };
}

function createAsk(child: ChildProcess): (question: object) => Promise<unknown> {
  const waiting = new Map<number, { resolve: (reply: unknown) => void; reject: (error: Error) => void }>();
  let last = 0;
  child.on("message", (reply: { id?: number }) => {
    const asked = waiting.get(reply.id ?? 0);
    waiting.delete(reply.id ?? 0);
    asked?.resolve(reply);
  });
  child.once("exit", (code, signal) => {
    const error = new Error(`${child.spawnargs.slice(1).join(" ")} ended with ${code ?? signal}`);
    for (const { reject } of waiting.values()) reject(error);
  });
  return (question) =>
    new Promise((resolve, reject) => {
      const id = (last += 1);
      waiting.set(id, { resolve, reject });
      child.send({ ...question, id });
    });
}

const firstMessage = <T>(child: ChildProcess): Promise<T> =>
  new Promise((resolve, reject) => {
    child.once("message", (message) => resolve(message as T));
    child.once("exit", (code) => reject(new Error(`A contestant ended with ${code} before it was ready.`)));
  });

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    if (child.connected) child.disconnect();
    else child.kill();
  });
}
