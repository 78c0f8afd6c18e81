import { expect, test } from "vitest";
import type { Part, PartOf } from "../../protocol/parts.ts";
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
const call = { id: "t", v: 1, n: 0, step: 1, kind: "tool", callId: "c", name: "x", state: "ok" } as const;
const shown = (parts: readonly Part[]) =>
  groupParts(parts).map((group) => [group.attempts, group.parts.map(({ id }) => id).join("")]);

test("folds failed attempts with their texts into one group, also after a tool call", () => {
  const first = [step("a", 1), notice("b"), step("c", 2)];
  const more = [...first, text("d", "cut"), notice("e"), step("f", 3), text("g")];
  expect(shown(more)).toEqual([
    [0, "a"],
    [2, "bcdef"],
    [0, "g"],
  ]);
  expect(shown([step("a", 1), call, step("b", 1), notice("c"), step("d", 2), text("e")])).toEqual([
    [0, "atb"],
    [1, "cd"],
    [0, "e"],
  ]);
  expect(shown([notice("x"), text("y")])).toEqual([[0, "xy"]]);
  const stop: Part = { ...(notice("b") as PartOf<"notice">), code: "interrupted" };
  expect(shown([step("a", 1), stop, step("c", 2), text("d")])).toEqual([[0, "abcd"]]);
  expect(shown([step("a", 1), stop, step("c", 2), stop, step("e", 3)])).toEqual([
    [0, "a"],
    [2, "bcbe"],
  ]);
});
