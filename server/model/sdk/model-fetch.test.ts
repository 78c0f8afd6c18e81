import { expect, test } from "vitest";
import { createModelFetch, OversizedAnswer } from "./model-fetch.ts";

const megabyte = new Uint8Array(1_000_000).fill(120);

/** A response that never ends, with the number of chunks that were read. */
const createEndless = (piece: Uint8Array) => {
  const taken = { bytes: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      taken.bytes += piece.byteLength;
      controller.enqueue(piece);
    },
    cancel: () => void (taken.cancelled = true),
  });
  return { taken, fetch: createModelFetch(() => Promise.resolve(new Response(body))) };
};

test("fails on an endless line and cancels its source", async () => {
  const { taken, fetch } = createEndless(megabyte);
  const response = await fetch("http://x.test");
  await expect(response.text()).rejects.toBeInstanceOf(OversizedAnswer);
  expect(taken.bytes).toBeLessThan(20_000_000);
  expect(taken.cancelled).toBe(true);
});

test("passes on a long answer of short lines", async () => {
  const { taken, fetch } = createEndless(new Uint8Array(megabyte).fill(10, 999_999));
  const reader = (await fetch("http://x.test")).body!.getReader();
  for (let at = 0; at < 40; at += 1) expect((await reader.read()).value?.byteLength).toBe(1_000_000);
  await reader.cancel();
  expect(taken.cancelled).toBe(true);
});

test("does not read ahead of the reader", async () => {
  const { taken, fetch } = createEndless(megabyte);
  const response = await fetch("http://x.test");
  await new Promise(setImmediate);
  expect(taken.bytes).toBeLessThanOrEqual(1_000_000);
  await response.body?.cancel();
});

test("keeps status and headers, and returns redirects", async () => {
  const seen: RequestInit[] = [];
  const fetch = createModelFetch((_input, init) => {
    seen.push(init ?? {});
    return Promise.resolve(new Response("moved", { status: 307, headers: { location: "http://evil.test" } }));
  });
  const response = await fetch("http://x.test", { method: "POST" });
  expect(response.status).toBe(307);
  expect(response.headers.get("location")).toBe("http://evil.test");
  expect(seen).toEqual([{ method: "POST", redirect: "manual" }]);
});
