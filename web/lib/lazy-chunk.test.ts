import { createElement, Suspense } from "react";
import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { loadChunk, preloadedChunk } from "./lazy-chunk.ts";

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

test("a chunk that was loaded before is rendered without its fallback", async () => {
  const module = Promise.resolve({ default: () => "content" });
  const [Chunk, preload] = preloadedChunk(() => module);
  const render = () => renderToString(createElement(Suspense, { fallback: "fallback" }, createElement(Chunk)));
  expect(render()).toContain("fallback");
  preload();
  await module;
  await Promise.resolve();
  expect(render()).toContain("content");
});

test("a chunk that could not be loaded before is loaded when it is rendered", async () => {
  const failed = Promise.reject(new Error("offline"));
  const loads = [failed, new Promise<never>(() => {})];
  const [Chunk, preload] = preloadedChunk(() => loads.shift()!);
  preload();
  await failed.catch(() => undefined);
  expect(renderToString(createElement(Suspense, { fallback: "fallback" }, createElement(Chunk)))).toContain("fallback");
  expect(loads).toEqual([]);
});
