import { expect, test } from "vitest";
import { createTurns } from "./turns.ts";

const setUp = (spacingMs: number) => {
  let now = 0;
  const waits: number[] = [];
  const turns = createTurns({
    clock: { now: () => now, monotonic: () => now },
    atOnce: 2,
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

test("the third waits for one of the first two, and hosts do not wait for each other", async () => {
  const { turns } = setUp(0);
  const [first] = await Promise.all([turns.take("a", never), turns.take("a", never)]);
  const third = turns.take("a", never);
  await turns.take("b", never);
  expect(await isPending(third)).toBe(true);
  first();
  await expect(third).resolves.toBeTypeOf("function");
});

test("two that end together let two in", async () => {
  const { turns } = setUp(0);
  const ends = [await turns.take("a", never), await turns.take("a", never)];
  const waiting = [turns.take("a", never), turns.take("a", never)];
  expect(await isPending(Promise.race(waiting))).toBe(true);
  for (const end of ends) end();
  expect(await Promise.all(waiting)).toHaveLength(2);
});

test("starts are apart by the spacing", async () => {
  const { turns, waits, pass } = setUp(100);
  const end = await turns.take("a", never);
  pass(30);
  await turns.take("a", never);
  end();
  pass(500);
  await turns.take("a", never);
  expect(waits).toEqual([70]);
});

test("a host that wants rest gets it", async () => {
  const { turns, waits } = setUp(0);
  turns.rest("a", 3000);
  await turns.take("b", never);
  await turns.take("a", never);
  expect(waits).toEqual([3000]);
});

test("who stops waiting leaves the place to the next one", async () => {
  const { turns } = setUp(0);
  const [first] = await Promise.all([turns.take("a", never), turns.take("a", never)]);
  const stopped = new AbortController();
  const third = turns.take("a", stopped.signal);
  const fourth = turns.take("a", never);
  expect(await isPending(fourth)).toBe(true);
  first();
  stopped.abort(new Error("stopped"));
  await expect(third).rejects.toThrow("stopped");
  await expect(fourth).resolves.toBeTypeOf("function");
});

test("hosts that are idle are forgotten", async () => {
  const { turns, waits, pass } = setUp(100);
  for (let n = 0; n < 2500; n += 1) {
    (await turns.take(`host-${n}`, never))();
    pass(200);
  }
  await turns.take("host-2499", never);
  expect(waits).toEqual([]);
});
