import { afterEach, expect, test } from "vitest";
import type { Command } from "../../test/support/process/misbehaving-child.ts";
import { createBoundedProcess, LimitExceeded, type BoundedProcess } from "./bounded-process.ts";

const file = new URL("../../test/support/process/misbehaving-child.ts", import.meta.url);
const open: BoundedProcess<Command, string>[] = [];
const start = (options: { timeoutMs?: number; maxWaiting?: number } = {}) => {
  const child = createBoundedProcess<Command, string>({ file, timeoutMs: 20_000, ...options });
  open.push(child);
  return (command: string) => child.request({ do: command });
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((child) => child.close()));
});

test("handles requests one at a time, in one process", async () => {
  const request = start();
  expect(await Promise.all(["a", "b", "c"].map(request))).toEqual(["a 1", "b 2", "c 3"]);
});

test.each([
  ["buffers", "memory"],
  ["heap", "memory"],
  ["end", "crash"],
  ["crash", "crash"],
])(
  "a process killed by %j rejects with the limit %j, and a new process handles the next request",
  async (command, limit) => {
    const request = start();
    expect(await request("a")).toBe("a 1");
    const before = process.memoryUsage.rss();
    const [broken, after] = await Promise.allSettled([request(command), request("b")]);
    expect(broken).toMatchObject({ status: "rejected", reason: { limit } });
    expect(after).toEqual({ status: "fulfilled", value: "b 1" });
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
  },
);

test("memory that an earlier request left behind does not reject the next one", async () => {
  const request = start();
  expect(await request("keep")).toBe("keep 1");
  // Exceeds the limit together with the memory of the first, but not alone.
  expect(await request("keep")).toBe("keep 1");
});

test("kills a process that exceeds the time limit", async () => {
  const request = start({ timeoutMs: 3_000 });
  await expect(request("hang")).rejects.toBeInstanceOf(LimitExceeded);
  expect(await request("b")).toBe("b 1");
});

test("rejects with the error of the work, and the process continues", async () => {
  const request = start();
  await expect(request("refuse")).rejects.toThrow("no such page");
  expect(await request("b")).toBe("b 2");
});

test("rejects a request at once when the queue is full", async () => {
  const request = start({ maxWaiting: 2 });
  const [one, two, three, four] = await Promise.allSettled(["a", "b", "c", "d"].map(request));
  expect([one, two, three].map((result) => result?.status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
  expect(four).toMatchObject({ status: "rejected", reason: { limit: "time" } });
});

test("passes no environment variables to the process", async () => {
  process.env["STONECHAT_TEST_SECRET"] = "x";
  const names = JSON.parse(await start()("env")) as string[];
  expect(names.filter((name) => !/^NODE_(COMPILE_CACHE|CHANNEL)/.test(name))).toEqual([]);
});
