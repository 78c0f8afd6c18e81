import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqlite } from "./open.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stonechat-wal-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const PAGE_BYTES = 4096;

test("restarts the WAL under continuous writes without losing a commit", async () => {
  const file = join(folder, "db");
  const store = await openSqlite({ file });
  const body = JSON.stringify("x".repeat(400_000));
  const commits = 200;
  for (let n = 0; n < commits; n += 1) {
    await store.commit([{ events: [{ stream: "user:one", body }], writes: [] }]);
  }
  const writtenPages = (commits * body.length) / PAGE_BYTES;
  const walPages = statSync(`${file}-wal`).size / PAGE_BYTES;
  expect(writtenPages).toBeGreaterThan(19_000);
  // Usually less than half; more if the checkpoint thread gets little time.
  expect(walPages).toBeLessThan(15_000);
  await store.close();
  const again = await openSqlite({ file });
  expect(await again.read.events("user:one", commits - 1, 10)).toEqual([{ seq: commits, body }]);
  await again.close();
});

test.each([0, 10, 25, 40, 60])(
  "all threads exit normally when closed %i ms after the checkpoint thread started",
  async (ms) => {
    const file = join(folder, "db");
    const ended: number[] = [];
    const onWorker = (worker: Worker) => worker.once("exit", (code) => ended.push(code));
    process.on("worker", onWorker);
    const store = await openSqlite({ file });
    await store.commit([{ events: [{ stream: "user:one", body: JSON.stringify("x".repeat(70_000)) }], writes: [] }]);
    await setTimeout(ms);
    await store.close();
    process.off("worker", onWorker);
    // A terminated thread, and the one that it started, exit with code 1.
    expect(ended).toEqual([0]);
    expect(existsSync(`${file}-wal`)).toBe(false);
  },
);
