import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import pg from "pg";
import { openPostgres } from "../../server/store/postgres/open.ts";
import { findPostgres, openTemp, type PostgresBinaries } from "./postgres-binaries.ts";
import { createPostgresProcess } from "./postgres-process.ts";
import { findFreePort } from "./free-port.ts";

/**
 * A private PostgreSQL cluster on a free loopback port, durable as in production (fsync on) unless `settings` say
 * otherwise. Provides a URL per database, and ways to stop and restart it. It never outlives the test process: a keeper
 * stops it and removes its folder even after a SIGKILL.
 */
export type Postgres = {
  readonly url: string;
  readonly port: number;
  /** The postmaster's pid, or undefined while it is down. */
  readonly pid: () => number | undefined;
  /** Returns the URL of a new database: empty, or a copy of another one of this cluster that has no connections. */
  readonly createDatabase: (template?: string) => Promise<string>;
  /** `fast` ends sessions, `immediate` is a crash (recovery at the next start), `kill` crashes only the postmaster. */
  readonly stop: (mode?: StopMode) => Promise<void>;
  readonly start: () => Promise<void>;
  readonly restart: (mode?: StopMode) => Promise<void>;
  /** Stops it and removes its data. */
  readonly close: () => Promise<void>;
};
export type StopMode = "fast" | "immediate" | "kill";

const stopSignals = { fast: "SIGINT", immediate: "SIGQUIT", kill: "SIGKILL" } as const satisfies Record<
  StopMode,
  string
>;
const templates = join(import.meta.dirname, "../../.runtime/postgres");

type Options = { readonly settings?: Readonly<Record<string, string>> };

export async function startPostgres({ settings = {} }: Options = {}): Promise<Postgres> {
  const binaries = findPostgres();
  if (!binaries) throw new Error("PostgreSQL was not found. Install it, or run `npm test`, which installs it.");
  const template = makeTemplate(binaries);
  const home = makeOwnFolder(binaries);
  cpSync(join(template, "cluster"), join(home, "cluster"), { recursive: true });
  chmodSync(join(home, "cluster"), 0o700);
  giveTo(binaries, home);
  const password = readFileSync(join(template, "password"), "utf8");
  const port = await findFreePort();
  const server = createPostgresProcess({
    home,
    program: binaries.postgres,
    args: toArgs(home, port, settings),
    runAs: binaries.runAs,
  });
  await server.start();
  const toUrl = (database: string) => `postgres://stonechat:${password}@127.0.0.1:${port}/${database}`;
  let count = 0;
  return {
    url: toUrl("postgres"),
    port,
    pid: server.pid,
    createDatabase: async (template = "template1") => {
      const name = `test_${(count += 1)}_${randomBytes(4).toString("hex")}`;
      const client = new pg.Client({ connectionString: toUrl("postgres") });
      await client.connect();
      try {
        await client.query(`create database ${name} template ${template}`);
      } finally {
        await client.end();
      }
      return toUrl(name);
    },
    stop: (mode = "fast") => server.stop(stopSignals[mode]),
    start: server.start,
    restart: async (mode = "fast") => {
      await server.stop(stopSignals[mode]);
      await server.start();
    },
    close: server.close,
  };
}

let ofWorker: Promise<Postgres> | undefined;
let migrated: Promise<string> | undefined;

/**
 * Returns the URL of a new, empty database on a cluster that all files of a worker share (`isolate: false`). Tests that
 * stop the cluster or change its settings start a separate one.
 */
export const createEmptyDatabase = async (): Promise<string> => (await (ofWorker ??= startPostgres())).createDatabase();

/** The same with the newest schema. Copying it takes a fraction of the time of the migrations. */
export async function createDatabase(): Promise<string> {
  const cluster = await (ofWorker ??= startPostgres());
  return cluster.createDatabase(await (migrated ??= createMigrated(cluster)));
}

async function createMigrated(cluster: Postgres): Promise<string> {
  const url = await cluster.createDatabase();
  const store = await openPostgres({ url });
  await store.close();
  return new URL(url).pathname.slice(1);
}

function toArgs(home: string, port: number, settings: Readonly<Record<string, string>>): readonly string[] {
  const all = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    shared_buffers: "16MB",
    ...settings,
  };
  return ["-D", join(home, "cluster"), ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

/** `initdb` takes seconds, copying its result is fast: the first run stores it for later ones. */
function makeTemplate(binaries: PostgresBinaries): string {
  const place = join(templates, binaries.version.replaceAll(/[^\w.]+/g, "-"));
  if (existsSync(place)) return place;
  const home = makeOwnFolder(binaries);
  const password = randomBytes(12).toString("hex");
  writeFileSync(join(home, "password"), password, { mode: 0o600 });
  giveTo(binaries, home);
  const locale = { linux: "C.UTF-8", darwin: "en_US.UTF-8" }[process.platform as string] ?? "C";
  execFileSync(
    binaries.initdb,
    [
      ...["--pgdata", join(home, "cluster"), "--username", "stonechat", "--pwfile", join(home, "password")],
      ...["--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", locale, "--no-sync"],
    ],
    {
      cwd: home,
      stdio: ["ignore", "ignore", "pipe"],
      env: { PATH: process.env["PATH"], LC_ALL: "C" },
      ...binaries.runAs,
    },
  );
  mkdirSync(templates, { recursive: true, mode: 0o700 });
  const part = `${place}.${process.pid}`;
  cpSync(home, part, { recursive: true });
  rmSync(home, { recursive: true, force: true });
  try {
    renameSync(part, place);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  }
  return place;
}

function makeOwnFolder(binaries: PostgresBinaries): string {
  const folder = mkdtempSync(join(openTemp(), "stonechat-postgres-"));
  giveTo(binaries, folder);
  return folder;
}

function giveTo({ runAs }: PostgresBinaries, folder: string): void {
  if (!runAs) return;
  chownSync(folder, runAs.uid, runAs.gid);
  for (const name of readdirSync(folder, { recursive: true }))
    chownSync(join(folder, String(name)), runAs.uid, runAs.gid);
}
