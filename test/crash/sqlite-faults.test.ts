import Database from "better-sqlite3";
import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { canRecord, compileLibrary } from "./power-loss/recorder.ts";
import { startServer, type ServerOptions, type ServerProcess } from "../support/server-process.ts";
import { openThreadClient } from "../support/server/thread-client.ts";
import { until } from "../support/server/until.ts";

/** Faults of the SQLite file in a real server process: the affected request fails, and the process keeps running. */
const PAGE_BYTES = 4096;
const fileOf = ({ dataDir }: ServerProcess): string => join(dataDir, "stonechat.db");
const readyz = async ({ url }: ServerProcess) => {
  const response = await fetch(`${url}/readyz`);
  return { status: response.status, text: await response.text() };
};
const open = async ({ url }: ServerProcess, threadId: string) => {
  const response = await fetch(`${url}/api/threads/${threadId}`);
  return { status: response.status, text: await response.text() };
};

async function start(options: ServerOptions = {}): Promise<ServerProcess> {
  const server = await startServer({ program: "main", ...options });
  onTestFinished(() => server.close());
  return server;
}

/** Two threads, the first with messages that fill several pages of the table `parts`. */
async function fill(server: ServerProcess): Promise<void> {
  for (const threadId of ["big", "small"]) {
    const chat = await openThreadClient(server, threadId);
    for (let turn = 0; turn < (threadId === "big" ? 6 : 1); turn += 1) {
      await chat.answered(await chat.send(`say ${threadId}-${turn}-${"word ".repeat(500)}`));
    }
    chat.close();
  }
}

/** Overwrites the leaf pages of `parts` with this thread's text and no text of the other thread. */
function damage(file: string): number {
  const db = new Database(file, { readonly: true });
  const pages = db
    .prepare<[], number>("select pageno from dbstat where name = 'parts' and pagetype = 'leaf'")
    .pluck()
    .all();
  db.close();
  const descriptor = openSync(file, "r+");
  let damaged = 0;
  for (const page of pages) {
    const bytes = Buffer.alloc(PAGE_BYTES);
    readSync(descriptor, bytes, 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
    if (!bytes.includes("big-") || bytes.includes("small-")) continue;
    writeSync(descriptor, Buffer.alloc(PAGE_BYTES, 0xff), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
    damaged += 1;
  }
  closeSync(descriptor);
  return damaged;
}

test("after a clean stop, a damaged page fails readiness and only the requests that read it", async () => {
  const server = await start();
  await fill(server);
  expect(await open(server, "big")).toMatchObject({ status: 200 });
  expect(await readyz(server)).toMatchObject({ status: 200 });
  await server.kill("SIGTERM");
  expect(damage(fileOf(server))).toBeGreaterThan(0);
  // Not ready as soon as anything reads the damage: background work may do so before a request.
  await server.restart();
  const failed = await open(server, "big");
  expect(failed.status).toBe(500);
  expect(failed.text).toContain("storage-damaged");
  expect(await open(server, "small")).toMatchObject({ status: 200 });
  const chat = await openThreadClient(server, "new");
  const { message } = await chat.answered(await chat.send("say still here"));
  chat.close();
  expect(textOf(message.parts)).toBe("still here");
  const ready = await readyz(server);
  expect(ready.status).toBe(503);
  expect(ready.text).toContain("stonechat.db is damaged");
  expect(server.output()).toContain("A request failed because the database is damaged.");
});

test.skipIf(!canRecord())(
  "a read that the disk refuses fails its request; the server continues when the disk does",
  async () => {
    const server = await start();
    await fill(server);
    await server.kill("SIGTERM");
    const flag = join(server.dataDir, "disk-fails");
    const library = compileLibrary("fail-reads.c", server.dataDir);
    await server.restart({ env: { LD_PRELOAD: library, TEST_FAIL_READS: flag } });
    expect(await readyz(server)).toMatchObject({ status: 200 });
    writeFileSync(flag, "");
    const failed = await open(server, "big");
    expect(failed.status).toBe(500);
    expect(failed.text).toContain("storage-damaged");
    expect(await readyz(server)).toMatchObject({
      status: 503,
      text: expect.stringContaining("Check the disk") as string,
    });
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    rmSync(flag);
    expect(await open(server, "big")).toMatchObject({ status: 200 });
    const chat = await openThreadClient(server, "later");
    const { message } = await chat.answered(await chat.send("say it works"));
    chat.close();
    expect(textOf(message.parts)).toBe("it works");
  },
);

test("after a crash the server serves at once, and a background check finds the damage", async () => {
  const server = await start({ env: { STONECHAT_LOG: "info" } });
  await fill(server);
  await server.kill("SIGTERM");
  expect(damage(fileOf(server))).toBeGreaterThan(0);
  const db = new Database(fileOf(server));
  db.prepare("update meta set value = 'no' where key = 'stopped'").run();
  db.close();
  await server.restart();
  expect(await open(server, "small")).toMatchObject({ status: 200 });
  await until("the check has found it", async () => server.output().includes("is damaged (table parts:"));
  expect(server.output()).toContain("The last stop was not clean. Checking");
  expect(await readyz(server)).toMatchObject({ status: 503 });
  expect(await open(server, "small")).toMatchObject({ status: 200 });
  // The damage was recorded, so the next start checks again.
  await server.kill("SIGTERM");
  await server.restart();
  await until("it is found again", async () => (await readyz(server)).status === 503);
});

test("the check after a kill finds nothing in an intact database", async () => {
  const server = await start({ env: { STONECHAT_LOG: "info" } });
  await fill(server);
  await server.restart();
  await until("the check is over", async () => server.output().includes("The database check found no fault"));
  expect(await readyz(server)).toMatchObject({ status: 200 });
});

test.each(["missing", "empty"])(
  "a database that is %s while its WAL exists is rejected, and the WAL is kept",
  async (state) => {
    const server = await start();
    const [file, wal] = [fileOf(server), `${fileOf(server)}-wal`];
    // While another program reads, the server does not empty the WAL.
    const reader = new Database(file, { readonly: true });
    reader.exec("begin; select count(*) from threads");
    await fill(server);
    await server.kill("SIGKILL");
    const [before, log] = [readFileSync(file), readFileSync(wal)];
    reader.close();
    expect(log.length).toBeGreaterThan(0);
    rmSync(file);
    if (state === "empty") writeFileSync(file, "");
    await expect(server.restart()).rejects.toThrow(
      new RegExp(`stonechat\\.db is ${state}, but .*-wal has committed changes .*Put the database file back`),
    );
    expect(readFileSync(wal).equals(log)).toBe(true);
    writeFileSync(file, before);
    await server.restart();
    expect(await open(server, "small")).toMatchObject({ status: 200 });
  },
);

test("a writer thread that ends is restarted: unacknowledged writes fail, and nothing acknowledged is lost", async () => {
  const hook = `
    import { syncBuiltinESMExports } from "node:module";
    import threads from "node:worker_threads";
    const workers = [];
    const Original = threads.Worker;
    threads.Worker = class extends Original { constructor(...args) { super(...args); workers.push([String(args[0]), this]); } };
    syncBuiltinESMExports();
    process.on("SIGUSR2", () => workers.filter(([name]) => name.endsWith("/sqlite/writer.ts")).at(-1)[1].terminate());`;
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hook)}` };
  const server = await start({ env });
  const chat = await openThreadClient(server, "long");
  const asked = await chat.send("say 200 words every 5ms");
  await chat.follower.until(({ messages }) => textOf(messages.at(-1)?.parts ?? []).includes("w20"));
  server.signal("SIGUSR2");
  const { message, run } = await chat.answered(asked);
  expect(run.outcome).toBe("done");
  expect(textOf(message.parts).endsWith("w199 w200")).toBe(true);
  const next = await chat.answered(await chat.send("say again"));
  expect(textOf(next.message.parts)).toBe("again");
  chat.close();
  expect(server.output()).toContain("writer thread ended and is restarted");
  expect(existsSync(fileOf(server))).toBe(true);
  expect(await readyz(server)).toMatchObject({ status: 200 });
});
