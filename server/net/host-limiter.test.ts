import { expect, test } from "vitest";
import { createHostLimiter } from "./host-limiter.ts";

const setUp = (spacingMs: number) => {
  let now = 0;
  const waits: number[] = [];
  const turns = createHostLimiter({
    clock: { now: () => now, monotonic: () => now },
    maxConcurrent: 2,
    spacingMs,
    wait: (ms) => {
      waits.push(ms);
      now += ms;
      return Promise.resolve();
    },
  });
  return { turns, waits, pass: (ms: number) => (now += ms) };
};
const never = new AbortController().signal;
const isPending = async (work: Promise<unknown>): Promise<boolean> => {
  const mark = {};
  await new Promise((resolve) => setImmediate(resolve));
  return (await Promise.race([work, Promise.resolve(mark)])) === mark;
};

test("a third request waits for one of the first two, and hosts are independent", async () => {
  const { turns } = setUp(0);
  const [first] = await Promise.all([turns.acquire("a", never), turns.acquire("a", never)]);
  const third = turns.acquire("a", never);
  await turns.acquire("b", never);
  expect(await isPending(third)).toBe(true);
  first();
  await expect(third).resolves.toBeTypeOf("function");
});

test("two requests that end together admit two more", async () => {
  const { turns } = setUp(0);
  const ends = [await turns.acquire("a", never), await turns.acquire("a", never)];
  const waiting = [turns.acquire("a", never), turns.acquire("a", never)];
  expect(await isPending(Promise.race(waiting))).toBe(true);
  for (const end of ends) end();
  expect(await Promise.all(waiting)).toHaveLength(2);
});

test("spaces the starts of requests", async () => {
  const { turns, waits, pass } = setUp(100);
  const end = await turns.acquire("a", never);
  pass(30);
  await turns.acquire("a", never);
  end();
  pass(500);
  await turns.acquire("a", never);
  expect(waits).toEqual([70]);
});

test("waits before the next request to a host that asks for it", async () => {
  const { turns, waits } = setUp(0);
  turns.pause("a", 3000);
  await turns.acquire("b", never);
  await turns.acquire("a", never);
  expect(waits).toEqual([3000]);
});

test("a waiter that aborts passes its slot on", async () => {
  const { turns } = setUp(0);
  const [first] = await Promise.all([turns.acquire("a", never), turns.acquire("a", never)]);
  const stopped = new AbortController();
  const third = turns.acquire("a", stopped.signal);
  const fourth = turns.acquire("a", never);
  expect(await isPending(fourth)).toBe(true);
  first();
  stopped.abort(new Error("stopped"));
  await expect(third).rejects.toThrow("stopped");
  await expect(fourth).resolves.toBeTypeOf("function");
});

test("forgets idle hosts", async () => {
  const { turns, waits, pass } = setUp(100);
  for (let n = 0; n < 2500; n += 1) {
    (await turns.acquire(`host-${n}`, never))();
    pass(200);
  }
  await turns.acquire("host-2499", never);
  expect(waits).toEqual([]);
});
