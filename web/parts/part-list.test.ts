import { expect, test } from "vitest";
import type { Part } from "../../protocol/parts.ts";
import { groupParts } from "./part-list.tsx";

const text = (id: string, aside?: string): Part => ({
  id,
  v: 1,
  n: 0,
  step: 1,
  kind: "text",
  state: "done",
  text: id,
  ...(aside === undefined ? {} : { aside }),
});

test("groups consecutive parts that were superseded for the same reason", () => {
  const parts = [text("a"), text("b", "cut"), text("c", "cut"), text("d", "stalled"), text("e"), text("f", "cut")];
  expect(groupParts(parts).map(({ aside, parts }) => [aside, parts.map(({ id }) => id).join("")])).toEqual([
    [undefined, "a"],
    ["cut", "bc"],
    ["stalled", "d"],
    [undefined, "e"],
    ["cut", "f"],
  ]);
});

const notice = (id: string): Part => ({
  id,
  v: 1,
  n: 0,
  step: 1,
  kind: "notice",
  level: "warning",
  code: "x",
  text: id,
});
const step = (id: string, attempt: number): Part => ({ id, v: 1, n: 0, step: 1, kind: "step", attempt, model: "m" });
const shown = (parts: readonly Part[], isFailed: boolean) =>
  groupParts(parts, isFailed).map((group) => [group.attempts, group.parts.map(({ id }) => id).join("")]);

test("folds failed attempts with their texts into one group, a single one only if the answer failed", () => {
  const first = [step("a", 1), notice("b"), step("c", 2)];
  const more = [...first, text("d", "cut"), notice("e"), step("f", 3), text("g")];
  expect(shown(more, false)).toEqual([
    [0, "a"],
    [2, "bcdef"],
    [0, "g"],
  ]);
  expect(shown(first, true)).toEqual([
    [0, "a"],
    [1, "bc"],
  ]);
  expect(shown([...first, text("g")], false)).toEqual([[0, "abcg"]]);
  expect(shown([notice("x"), text("y")], true)).toEqual([[0, "xy"]]);
});
