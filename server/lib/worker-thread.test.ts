import { threadId } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { createWorkerThread } from "./worker-thread.ts";

const file = new URL("../../test/support/process/misbehaving-thread.ts", import.meta.url);
const start = () => {
  const { request, close } = createWorkerThread<string, { readonly echo: string; readonly threadId: number }>(file);
  onTestFinished(close);
  return request;
};

test("handles requests in order, in one other thread", async () => {
  const request = start();
  const answers = await Promise.all(["a", "b", "c"].map(request));
  expect(answers.map(({ echo }) => echo)).toEqual(["a", "b", "c"]);
  expect(new Set(answers.map((one) => one.threadId)).size).toBe(1);
  expect(answers[0]?.threadId).not.toBe(threadId);
});

test("keeps the message and code of an error, and the thread continues", async () => {
  const request = start();
  await expect(request("refuse")).rejects.toMatchObject({ message: "no such page", code: "SQLITE_CORRUPT" });
  expect((await request("b")).echo).toBe("b");
});

test("a thread that exits rejects its pending requests, and the next request starts a new thread", async () => {
  const request = start();
  await expect(request("end")).rejects.toThrow("exited before it finished");
  expect((await request("b")).echo).toBe("b");
});
