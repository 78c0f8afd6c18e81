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
