import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqlite } from "./open.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stonechat-wal-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const PAGE_BYTES = 4096;

test("the WAL begins anew under writes without a pause, and what went through it is there", async () => {
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
  expect(walPages).toBeLessThan(10_000);
  await store.close();
  const again = await openSqlite({ file });
  expect(await again.read.events("user:one", commits - 1, 10)).toEqual([{ seq: commits, body }]);
  await again.close();
});
