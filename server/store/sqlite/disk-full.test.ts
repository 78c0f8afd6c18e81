import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { onSmallDisk, whyNoSmallDisk } from "../../../test/support/process/small-disk.ts";

const inNamespace = (command: readonly string[]) => {
  const [program = "", ...args] = onSmallDisk(folder, "5m", command);
  return spawnSync(program, args, { encoding: "utf8" });
};

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stonechat-full-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("on a full disk writes fail, commits are kept, reads work, and writes recover when there is space", ({ skip }) => {
  const obstacle = whyNoSmallDisk();
  skip(obstacle !== undefined, obstacle);
  const script = `
    const { openSqlite } = await import(${JSON.stringify(join(import.meta.dirname, "open.ts"))});
    const { writeFileSync, rmSync } = await import("node:fs");
    const filler = ${JSON.stringify(join(folder, "filler"))};
    writeFileSync(filler, Buffer.alloc(1_500_000));
    const store = await openSqlite({ file: ${JSON.stringify(join(folder, "stonechat.db"))} });
    const write = () => store.commit([
      { events: [{ stream: "user:a", body: JSON.stringify("x".repeat(5000)) }], writes: [] },
      { events: [], writes: [{ do: "put", table: "users", row: { id: "u", created_at: 1 } }] },
    ]);
    let acknowledged = 0;
    let refusal;
    while (!refusal && acknowledged < 5000) await write().then(() => (acknowledged += 1), (error) => (refusal = error.name));
    const whileFull = (await store.read.events("user:a", 0, 10_000)).length;
    const again = await write().then(() => "taken", (error) => error.name);
    const ready = await store.ping().then(() => "ready", (error) => error.name);
    rmSync(filler);
    const readyAgain = await store.ping().then(() => "ready", (error) => error.name);
    const [healed] = await write();
    const after = (await store.read.events("user:a", 0, 10_000)).length;
    await store.close();
    console.log(JSON.stringify({ acknowledged, refusal, whileFull, again, ready, readyAgain, seq: healed.seqs[0], after }));`;
  const { stdout, stderr } = inNamespace([process.execPath, "-e", script]);
  const seen = JSON.parse(stdout || JSON.stringify(stderr)) as { acknowledged: number };
  const { acknowledged } = seen;
  expect(acknowledged).toBeGreaterThan(10);
  expect(seen).toEqual({
    acknowledged,
    refusal: "StorageFull",
    whileFull: acknowledged,
    again: "StorageFull",
    ready: "StorageFull",
    readyAgain: "ready",
    seq: acknowledged + 1,
    after: acknowledged + 1,
  });
});
