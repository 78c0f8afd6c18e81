import { expect, test } from "vitest";
import { loadChunk } from "./lazy-chunk.ts";

const failing = (times: number) => {
  let calls = 0;
  return () => (++calls <= times ? Promise.reject(new Error(`failed ${calls}`)) : Promise.resolve(calls));
};

test("loading is retried for as long as the server cannot be reached", async () => {
  const delays: number[] = [];
  const wait = async (ms: number) => void delays.push(ms);
  expect(await loadChunk(failing(8), { isServerUp: async () => false, wait })).toBe(9);
  expect(delays).toEqual([300, 600, 1200, 2400, 4800, 5000, 5000, 5000]);
});

test("a chunk that fails three times in a row although the server answers is an error", async () => {
  const wait = async () => {};
  await expect(loadChunk(failing(9), { isServerUp: async () => true, wait })).rejects.toThrow("failed 3");
  const ups = [true, true, false, true, true, true];
  await expect(loadChunk(failing(9), { isServerUp: async () => ups.shift()!, wait })).rejects.toThrow("failed 6");
});
