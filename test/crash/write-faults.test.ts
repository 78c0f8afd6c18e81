import Database from "better-sqlite3";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ResponseError } from "../../protocol/client.ts";
import { textOf } from "../../protocol/fold.ts";
import { canRecord, compileLibrary } from "./power-loss/recorder.ts";
import { createFolder } from "../support/server/run-command.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { openThreadClient, type ThreadClient } from "../support/server/thread-client.ts";
import { until } from "../support/server/until.ts";

/** Writes and syncs that fail with EIO, in a real server process under load. */
const DEEP = process.env["STONECHAT_DEEP"] === "1";
const CLIENTS = 4;
const LEAST_ACKNOWLEDGED = DEEP ? 100 : 4;
const LEAST_FAULTS = DEEP ? 250 : 10;
/** A busy machine needs minutes for the full counts. */
const LIMIT_MS = DEEP ? 20 * 60_000 : 180_000;
/** Percentages of writes, syncs of the WAL and syncs of the database: see fail-writes.c. */
const [SOME_FAIL, ALL_FAIL, DATABASE_SYNCS_FAIL] = ["2 20 20", "100 100 100", "0 0 100"];

type Outcomes = { readonly acknowledged: Set<string>; readonly failed: ResponseError[] };

/** Sends answers with many deltas until `isEnough`, without repeating what failed. A lost connection fails the test. */
async function load(
  { client }: ServerProcess,
  threadId: string,
  isEnough: (sent: Outcomes) => boolean,
): Promise<Outcomes> {
  const sent: Outcomes = { acknowledged: new Set(), failed: [] };
  const send = async (): Promise<boolean> => {
    const id = randomUUID();
    const body = { id, text: "say 30 words every 2ms", mode: "queue" as const };
    await client.sendMessage({ params: { threadId }, body }).then(
      () => void sent.acknowledged.add(id),
      (error: unknown) => {
        if (!(error instanceof ResponseError)) throw error;
        sent.failed.push(error);
      },
    );
    return isEnough(sent);
  };
  await until("enough was sent", send, LIMIT_MS);
  return sent;
}

async function start() {
  const folder = createFolder();
  const flag = join(folder, "disk-fails");
  const library = compileLibrary("fail-writes.c", folder);
  const server = await startServer({ program: "main", env: { LD_PRELOAD: library, TEST_FAIL_WRITES: flag } });
  onTestFinished(() => server.close());
  const faults = (): string => (existsSync(`${flag}.count`) ? readFileSync(`${flag}.count`, "latin1") : "");
  const count = (kind: "w" | "s" | "d"): number => [...faults()].filter((one) => one === kind).length;
  return { server, flag, count };
}

async function expectIntact(server: ServerProcess): Promise<void> {
  expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null });
  const db = new Database(join(server.dataDir, "stonechat.db"), { readonly: true });
  expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
  db.close();
}

const isReady = async ({ url }: ServerProcess): Promise<boolean> => (await fetch(`${url}/readyz`)).status === 200;

test.skipIf(!canRecord())(
  "writes and syncs that fail lose and invent no acknowledged message, and the server recovers without a restart",
  async () => {
    const { server, flag, count } = await start();
    const pid = server.pid();
    const chats: ThreadClient[] = [];
    for (let n = 0; n < CLIENTS; n += 1) chats.push(await openThreadClient(server));
    onTestFinished(() => chats.forEach((chat) => chat.close()));
    const loadAll = (isEnough: (sent: Outcomes) => boolean) =>
      Promise.all(chats.map(({ threadId }) => load(server, threadId, isEnough)));

    // Control: without faults nothing fails, and none is counted.
    const healthy = await loadAll(({ acknowledged }) => acknowledged.size === 2);
    expect(healthy.flatMap(({ failed }) => failed)).toEqual([]);
    expect([count("w"), count("s"), count("d")]).toEqual([0, 0, 0]);

    writeFileSync(flag, SOME_FAIL);
    const faulty = await loadAll(
      ({ acknowledged }) =>
        acknowledged.size >= LEAST_ACKNOWLEDGED && count("w") >= LEAST_FAULTS && count("s") >= LEAST_FAULTS,
    );
    const counted = { writes: count("w"), syncs: count("s") };

    // Control: when every write fails, nothing is acknowledged. Reads continue, and the server says why it is not ready.
    writeFileSync(flag, ALL_FAIL);
    const broken = await loadAll(({ acknowledged, failed }) => acknowledged.size > 0 || failed.length === 3);
    expect(broken.map(({ acknowledged }) => acknowledged.size)).toEqual(chats.map(() => 0));
    expect((await fetch(`${server.url}/api/threads/${chats[0]!.threadId}`)).status).toBe(200);
    const ready = await fetch(`${server.url}/readyz`);
    expect({ status: ready.status, text: await ready.text() }).toMatchObject({
      status: 503,
      text: expect.stringMatching(/cannot be written|is restarted/) as string,
    });

    const failed = [...faulty, ...broken].flatMap((sent) => sent.failed);
    console.log(
      `write faults: ${counted.writes} writes and ${counted.syncs} syncs failed, ` +
        `${faulty.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0)} messages acknowledged, ` +
        `${faulty.reduce((sum, sent) => sum + sent.failed.length, 0)} refused`,
    );
    expect(faulty.flatMap((sent) => sent.failed).length).toBeGreaterThan(0);
    for (const { status, code, message } of failed) {
      expect({ status, code }).toEqual({ status: 503, code: "unavailable" });
      expect(message).toMatch(/^[A-Z].*\.$/);
    }

    rmSync(flag);
    await until("the server is ready", () => isReady(server));
    for (const [n, chat] of chats.entries()) {
      const { messages } = await chat.follower.until(({ run, messages: all }) => {
        const users = all.filter(({ role }) => role === "user").length;
        const sent = healthy[n]!.acknowledged.size + faulty[n]!.acknowledged.size;
        return users >= sent && (run === null || run.outcome !== null);
      });
      const stored = messages.filter(({ role }) => role === "user").map(({ id }) => id);
      expect(stored.toSorted()).toEqual([...healthy[n]!.acknowledged, ...faulty[n]!.acknowledged].toSorted());
      const { message, run } = await chat.answered(await chat.send("say it works"));
      expect({ outcome: run.outcome, text: textOf(message.parts) }).toEqual({ outcome: "done", text: "it works" });
    }
    expect(server.pid()).toBe(pid);
    await expectIntact(server);
  },
);

test.skipIf(!canRecord())(
  "after a failed sync of the database the server opens it again and continues, without a restart",
  async () => {
    const { server, flag, count } = await start();
    const wal = () => statSync(join(server.dataDir, "stonechat.db-wal")).size;
    const chat = await openThreadClient(server);
    onTestFinished(() => chat.close());
    await chat.answered(await chat.send(`say ${"word ".repeat(2_000)}`));
    /** Deleting a thread empties the WAL. */
    const remove = async () => {
      const other = await openThreadClient(server);
      other.close();
      await server.client.deleteThread({ params: { threadId: other.threadId } });
    };
    writeFileSync(flag, DATABASE_SYNCS_FAIL);
    // Its later commits may meet the thread that ends.
    await remove().catch((error: unknown) => {
      if (!(error instanceof ResponseError) || error.status !== 503) throw error;
    });
    await until("a sync has failed", async () => count("d") > 0);
    await until("the writer is restarted", async () =>
      server.output().includes("writer thread ended and is restarted"),
    );
    expect(server.output()).toContain("a sync of the database failed");
    expect(wal()).toBeGreaterThan(0);
    rmSync(flag);
    let asked = "";
    await until("a message is stored", async () => {
      asked = await chat.send("say it works").catch(() => "");
      return asked !== "";
    });
    const { message, run } = await chat.answered(asked);
    expect({ outcome: run.outcome, text: textOf(message.parts) }).toEqual({ outcome: "done", text: "it works" });
    await remove();
    await until("the WAL is empty", async () => wal() === 0);
    await expectIntact(server);
  },
);
