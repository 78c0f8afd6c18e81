import { expect, test } from "vitest";
import type { EntityLine } from "../../../protocol/project/project.ts";
import { toMove, toCardPosition, toReorder } from "./board-moves.ts";

const states = ["open", "active", "done"];
const card = (part: Partial<EntityLine>): EntityLine =>
  ({ id: "a", version: 4, state: "active", priority: "low", ...part }) as EntityLine;

test("left and right change the state, up and down the priority, and nothing changes at the ends", () => {
  expect(toMove("ArrowRight", card({}), states)).toEqual({ do: "update", id: "a", version: 4, state: "done" });
  expect(toMove("ArrowLeft", card({}), states)).toMatchObject({ state: "open" });
  expect(toMove("ArrowRight", card({ state: "done" }), states)).toBeNull();
  expect(toMove("ArrowUp", card({}), states)).toMatchObject({ priority: "medium" });
  expect(toMove("ArrowDown", card({}), states)).toMatchObject({ priority: "none" });
  expect(toMove("ArrowUp", card({ priority: "urgent" }), states)).toBeNull();
  expect(toMove("Enter", card({}), states)).toBeNull();
});

test("arrow keys move within a column and skip empty columns", () => {
  const lengths = [3, 0, 1];
  expect(toCardPosition("ArrowDown", { column: 0, row: 0 }, lengths)).toEqual({ column: 0, row: 1 });
  expect(toCardPosition("ArrowDown", { column: 0, row: 2 }, lengths)).toBeNull();
  expect(toCardPosition("ArrowRight", { column: 0, row: 2 }, lengths)).toEqual({ column: 2, row: 0 });
  expect(toCardPosition("ArrowRight", { column: 2, row: 0 }, lengths)).toBeNull();
  expect(toCardPosition("End", { column: 0, row: 0 }, lengths)).toEqual({ column: 0, row: 2 });
});

test("a card is moved after the card before its new place that has the same parent", () => {
  const cards = ["a", "b", "c"].map((id) => card({ id, parentId: null }));
  expect(toReorder(cards, "c", 1)).toEqual({ do: "move", id: "c", version: 4, parentId: null, after: "a" });
  expect(toReorder(cards, "c", 0)).toMatchObject({ after: null });
  expect(toReorder(cards, "a", 1)).toMatchObject({ after: "b" });
  expect(toReorder(cards, "a", 0)).toBeNull();
  expect(toReorder(cards, "a", -1)).toBeNull();
  const mixed = [card({ id: "x", parentId: "p" }), ...cards];
  expect(toReorder(mixed, "c", 1)).toMatchObject({ after: null });
  expect(toReorder(mixed, "a", 0)).toBeNull();
});
