import { expect, test } from "vitest";
import { ResponseError } from "../../protocol/client.ts";
import { keepInMemory } from "../lib/memory-storage.ts";
import { createStoredQueue, toFailure } from "./stored-queue.ts";

type Item = { readonly id: string; readonly at: number; readonly isDone?: boolean };
const open = (storage = keepInMemory()) => ({
  storage,
  queue: createStoredQueue<Item>({
    storage,
    prefix: "q.",
    compare: (a, b) => a.at - b.at,
    isAccepted: ({ isDone }) => isDone === true,
  }),
});

test("items are there after a reload, in order", () => {
  const { queue, storage } = open();
  queue.replace([
    { id: "b", at: 1 },
    { id: "a", at: 2 },
  ]);
  expect(open(storage).queue.items.get()).toEqual(queue.items.get());
});

test("removed and delivered items are not there after a reload", () => {
  const { queue, storage } = open();
  const items = [
    { id: "a", at: 1 },
    { id: "b", at: 2 },
    { id: "c", at: 3 },
  ];
  queue.replace(items);
  queue.replace([{ id: "b", at: 2, isDone: true }, ...items.slice(2)]);
  expect(queue.items.get().map(({ id }) => id)).toEqual(["b", "c"]);
  expect(open(storage).queue.items.get()).toEqual([{ id: "c", at: 3 }]);
});

test("two tabs do not overwrite each other's items", () => {
  const { queue, storage } = open();
  const other = open(storage).queue;
  queue.replace([{ id: "a", at: 1 }]);
  other.replace([{ id: "b", at: 2 }]);
  queue.replace([]);
  expect(open(storage).queue.items.get()).toEqual([{ id: "b", at: 2 }]);
  expect([queue.isStored("a"), queue.isStored("b")]).toEqual([false, true]);
});

test.each([
  [new TypeError("no network"), "retry"],
  [new ResponseError(503, "unavailable", "Busy."), "retry"],
  [new ResponseError(429, "rate-limited", "Slow down."), "retry"],
  [new ResponseError(401, "signed-out", "Sign in."), "signed-out"],
  [new ResponseError(409, "conflict", "Changed."), "conflict"],
  [new ResponseError(400, "invalid", "Bad."), "refused"],
])("%s is classified", (error, kind) => {
  expect(toFailure(error).kind).toBe(kind);
});
