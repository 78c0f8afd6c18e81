import { threadId } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { createThread } from "./thread.ts";

const file = new URL("../../test/support/process/odd-thread.ts", import.meta.url);
const start = () => {
  const { ask, close } = createThread<string, { readonly told: string; readonly threadId: number }>(file);
  onTestFinished(close);
  return ask;
};

test("questions are answered in order, in one other thread", async () => {
  const ask = start();
  const answers = await Promise.all(["a", "b", "c"].map(ask));
  expect(answers.map(({ told }) => told)).toEqual(["a", "b", "c"]);
  expect(new Set(answers.map((one) => one.threadId)).size).toBe(1);
  expect(answers[0]?.threadId).not.toBe(threadId);
});

test("an error keeps its words and its code, and the thread goes on", async () => {
  const ask = start();
  await expect(ask("refuse")).rejects.toMatchObject({ message: "no such page", code: "SQLITE_CORRUPT" });
  expect((await ask("b")).told).toBe("b");
});

test("a thread that exits rejects its pending requests, and the next request starts a new thread", async () => {
  const ask = start();
  await expect(ask("end")).rejects.toThrow("ended before it was done");
  expect((await ask("b")).told).toBe("b");
});
