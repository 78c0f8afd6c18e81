import { afterEach, expect, test } from "vitest";
import type { Told } from "../../test/support/process/odd-child.ts";
import { createBoundedProcess, OutOfBounds, type BoundedProcess } from "./bounded-process.ts";

const file = new URL("../../test/support/process/odd-child.ts", import.meta.url);
const open: BoundedProcess<Told, string>[] = [];
const start = (options: { timeoutMs?: number; mostWaiting?: number } = {}) => {
  const child = createBoundedProcess<Told, string>({ file, timeoutMs: 20_000, ...options });
  open.push(child);
  return (told: string) => child.ask({ do: told });
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((child) => child.close()));
});

test("questions are answered one after another, by one process", async () => {
  const ask = start();
  expect(await Promise.all(["a", "b", "c"].map(ask))).toEqual(["a 1", "b 2", "c 3"]);
});

test.each([
  ["buffers", "memory"],
  ["heap", "memory"],
  ["end", "crash"],
  ["crash", "crash"],
])("a process killed by %j rejects with the limit %j, and another answers the next question", async (told, limit) => {
  const ask = start();
  expect(await ask("a")).toBe("a 1");
  const before = process.memoryUsage.rss();
  const [broken, after] = await Promise.allSettled([ask(told), ask("b")]);
  expect(broken).toMatchObject({ status: "rejected", reason: { limit } });
  expect(after).toEqual({ status: "fulfilled", value: "b 1" });
  expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
});

test("a process that hangs is killed when its time is up", async () => {
  const ask = start({ timeoutMs: 3_000 });
  await expect(ask("hang")).rejects.toBeInstanceOf(OutOfBounds);
  expect(await ask("b")).toBe("b 1");
});

test("an error of the work is told, and the process goes on", async () => {
  const ask = start();
  await expect(ask("refuse")).rejects.toThrow("no such page");
  expect(await ask("b")).toBe("b 2");
});

test("a question beyond those that may wait is refused at once", async () => {
  const ask = start({ mostWaiting: 2 });
  const [one, two, three, four] = await Promise.allSettled(["a", "b", "c", "d"].map(ask));
  expect([one, two, three].map((result) => result?.status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
  expect(four).toMatchObject({ status: "rejected", reason: { limit: "time" } });
});

test("the process gets nothing of the environment", async () => {
  process.env["STONECHAT_TEST_SECRET"] = "x";
  const names = JSON.parse(await start()("env")) as string[];
  expect(names.filter((name) => !/^NODE_(COMPILE_CACHE|CHANNEL)/.test(name))).toEqual([]);
});
