import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createToasts } from "./toasts.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openOffers() {
  const undo = createToasts({ durationMs: 100 });
  const told: string[] = [];
  const make = (id: string) =>
    undo.show({ id, text: id, onUndo: () => told.push(`undo ${id}`), onDismiss: () => told.push(`settle ${id}`) });
  return { ...undo, make, told, ids: () => undo.list.get().map(({ id }) => id) };
}

test("what is not taken back settles once its time is over", () => {
  const { make, told, ids } = openOffers();
  make("a");
  vi.advanceTimersByTime(99);
  expect([ids(), told]).toEqual([["a"], []]);
  vi.advanceTimersByTime(1);
  expect([ids(), told]).toEqual([[], ["settle a"]]);
});

test("what is taken back never settles", () => {
  const { make, undo, dismissAll, told } = openOffers();
  make("a");
  undo("a");
  undo("a");
  dismissAll();
  vi.advanceTimersByTime(1000);
  expect(told).toEqual(["undo a"]);
});

test("leaving settles all of them, each once", () => {
  const { make, dismissAll, told } = openOffers();
  make("a");
  make("b");
  dismissAll();
  dismissAll();
  vi.advanceTimersByTime(1000);
  expect(told).toEqual(["settle a", "settle b"]);
});

test("while somebody is at them nothing runs out, and then the whole time begins again", () => {
  const { make, hold, told } = openOffers();
  make("a");
  vi.advanceTimersByTime(90);
  hold(true);
  make("b");
  vi.advanceTimersByTime(1000);
  expect(told).toEqual([]);
  hold(false);
  vi.advanceTimersByTime(99);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual(["settle a", "settle b"]);
});

test("a fourth makes the oldest settle", () => {
  const { make, told, ids } = openOffers();
  for (const id of ["a", "b", "c", "d"]) make(id);
  expect([ids(), told]).toEqual([["b", "c", "d"], ["settle a"]]);
});
