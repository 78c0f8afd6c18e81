import { expect, test } from "vitest";
import { keepInMemory } from "../../lib/memory-storage.ts";
import { createTabs, withOpen, withoutOpen } from "./tabs.ts";

test("shows the neighbor of a closed tab", () => {
  const row = { open: ["a", "b", "c"], at: "b" };
  expect(withoutOpen(row, "b")).toEqual({ open: ["a", "c"], at: "c" });
  expect(withoutOpen({ ...row, at: "c" }, "c")).toEqual({ open: ["a", "b"], at: "b" });
  expect(withoutOpen(row, "a")).toEqual({ open: ["b", "c"], at: "b" });
  expect(withoutOpen({ open: ["a"], at: "a" }, "a")).toEqual({ open: [], at: null });
});

test("closes the oldest tab beyond the limit", () => {
  const many = Array.from({ length: 40 }, (_, n) => `f${n}`).reduce(withOpen, { open: [], at: null });
  expect(many.open).toHaveLength(30);
  expect(many.at).toBe("f39");
});

test("stores open tabs per project and ignores invalid data", () => {
  const storage = keepInMemory();
  const tabs = createTabs(storage, "p");
  tabs.open("a");
  tabs.open("b");
  tabs.rename("a", "z");
  expect(createTabs(storage, "p").row.get()).toEqual({ open: ["z", "b"], at: "b" });
  expect(createTabs(storage, "q").row.get()).toEqual({ open: [], at: null });
  storage.set("workspace.p.tabs", "{]");
  expect(createTabs(storage, "p").row.get()).toEqual({ open: [], at: null });
});
