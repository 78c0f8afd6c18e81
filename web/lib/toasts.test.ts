import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createToasts } from "./toasts.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openToasts() {
  const toasts = createToasts({ durationMs: 100 });
  const calls: string[] = [];
  const make = (id: string) =>
    toasts.show({ id, text: id, onUndo: () => calls.push(`undo ${id}`), onDismiss: () => calls.push(`dismiss ${id}`) });
  return { ...toasts, make, calls, ids: () => toasts.list.get().map(({ id }) => id) };
}

test("dismisses a toast after its time", () => {
  const { make, calls, ids } = openToasts();
  make("a");
  vi.advanceTimersByTime(99);
  expect([ids(), calls]).toEqual([["a"], []]);
  vi.advanceTimersByTime(1);
  expect([ids(), calls]).toEqual([[], ["dismiss a"]]);
});

test("never dismisses a toast that was undone", () => {
  const { make, undo, dismissAll, calls } = openToasts();
  make("a");
  undo("a");
  undo("a");
  dismissAll();
  vi.advanceTimersByTime(1000);
  expect(calls).toEqual(["undo a"]);
});

test("dismisses all toasts once when the page is left", () => {
  const { make, dismissAll, calls } = openToasts();
  make("a");
  make("b");
  dismissAll();
  dismissAll();
  vi.advanceTimersByTime(1000);
  expect(calls).toEqual(["dismiss a", "dismiss b"]);
});

test("keeps toasts while they are held, then restarts their time", () => {
  const { make, hold, calls } = openToasts();
  make("a");
  vi.advanceTimersByTime(90);
  hold(true);
  make("b");
  vi.advanceTimersByTime(1000);
  expect(calls).toEqual([]);
  hold(false);
  vi.advanceTimersByTime(99);
  expect(calls).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(calls).toEqual(["dismiss a", "dismiss b"]);
});

test("dismisses the oldest of four toasts", () => {
  const { make, calls, ids } = openToasts();
  for (const id of ["a", "b", "c", "d"]) make(id);
  expect([ids(), calls]).toEqual([["b", "c", "d"], ["dismiss a"]]);
});

test("undoes an expected toast as soon as it is shown, and nothing older", () => {
  const { make, expect: announce, cancel, listUndoable, calls, ids } = openToasts();
  const undoNewest = () =>
    listUndoable()
      .toSorted((a, b) => a.number - b.number)
      .at(-1)
      ?.undo();
  make("a");
  announce("b");
  undoNewest();
  expect([ids(), calls]).toEqual([["a"], []]);
  make("b");
  expect([ids(), calls]).toEqual([["a"], ["undo b"]]);
  announce("c");
  cancel("c");
  undoNewest();
  expect([ids(), calls]).toEqual([[], ["undo b", "undo a"]]);
});
