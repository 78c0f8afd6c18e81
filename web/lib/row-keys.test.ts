import { expect, test } from "vitest";
import { toNextRow } from "./row-keys.ts";

test("arrows stop at the ends", () => {
  expect([toNextRow("ArrowDown", 0, 3), toNextRow("ArrowDown", 2, 3)]).toEqual([1, 2]);
  expect([toNextRow("ArrowUp", 2, 3), toNextRow("ArrowUp", 0, 3)]).toEqual([1, 0]);
  expect([toNextRow("Home", 2, 3), toNextRow("End", 0, 3)]).toEqual([0, 2]);
});

test("moves from outside the list to its first row", () => {
  expect(toNextRow("ArrowDown", -1, 3)).toBe(0);
});

test("other keys and empty lists move nothing", () => {
  expect(toNextRow("a", 0, 3)).toBeNull();
  expect(toNextRow("ArrowDown", -1, 0)).toBeNull();
});
