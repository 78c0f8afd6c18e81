import { expect, test } from "vitest";
import type { EntityOp } from "../../../protocol/project/project.ts";
import { draftOps, toEffect } from "../plan/plan-ops.ts";
import type { Situation } from "./draft.ts";
import type { Item } from "./item.ts";
import { findBetween } from "./positions.ts";

const project: Situation["project"] = {
  id: "p",
  owner: "ann",
  name: "",
  description: "",
  instructions: "",
  archived: 0,
  version: 1,
  untrusted: "[]",
  seq: 1,
  created_at: 1,
  updated_at: 1,
};
const toItem = (id: string, position: number): Item => ({
  project: "p",
  id,
  kind: "document",
  title: id,
  body: null,
  state: "draft",
  ended: 0,
  priority: 0,
  starts_at: null,
  ends_at: null,
  parent: null,
  position,
  version: 1,
  deleted: 0,
  created_at: 1,
  updated_at: 1,
});
const situation = (items: readonly Item[], isWhole = false): Situation => ({
  project,
  now: 5,
  items,
  edges: [],
  files: [],
  whole: new Set(isWhole ? [null] : []),
});
const add = (id: string, after: string | null): EntityOp => ({
  do: "create",
  id,
  kind: "document",
  title: id,
  parentId: null,
  after,
});
const orderOf = (draft: ReturnType<typeof draftOps>): string =>
  draft
    .children(null)
    .map(({ id }) => id)
    .join("");

test("finds a position between any two that differ, before the first and after the last", () => {
  expect(findBetween(undefined, undefined)).toBe(1);
  expect(findBetween(undefined, 1)).toBe(0);
  expect(findBetween(3, undefined)).toBe(4);
  expect(findBetween(1, 2)).toBe(1.5);
  expect(findBetween(1, 1)).toBeUndefined();
  expect(findBetween(1, 1 + Number.EPSILON)).toBeUndefined();
});

test("entities inserted after the same sibling stay in order until there is no gap", () => {
  let items: readonly Item[] = [toItem("a", 1), toItem("b", 2)];
  let count = 0;
  for (; ; count += 1) {
    const draft = draftOps(situation(items), [add(`n${count}`, "a")]);
    if (draft.cramped.size > 0) break;
    items = draft.children(null);
    expect(items[1]?.id).toBe(`n${count}`);
  }
  expect(count).toBeGreaterThan(40);
});

test("without a gap the siblings are renumbered in the same order, which is not recorded as a change", () => {
  const items = [toItem("a", 1), toItem("b", 1), toItem("c", 1)];
  const ops = [add("x", "a")];
  expect(draftOps(situation(items), ops).cramped).toEqual(new Set([null]));
  const draft = draftOps(situation(items, true), ops);
  expect(orderOf(draft)).toBe("axbc");
  const { changes, writes, exclusive } = toEffect(draft);
  expect(changes.map(({ id }) => id)).toEqual(["x"]);
  expect(exclusive).toBe(true);
  const numbered = writes.flatMap((write) =>
    write.do === "update" && write.table === "entities" ? [Object.keys(write.set)] : [],
  );
  expect(numbered).toEqual([["position"], ["position"], ["position"]]);
});

test("an entity that is changed and then renumbered keeps its change", () => {
  const items = [{ ...toItem("a", 1), body: "" }, toItem("b", 1)];
  const ops: EntityOp[] = [{ do: "update", id: "a", version: 1, title: "A" }, add("x", "a")];
  const draft = draftOps(situation(items, true), ops);
  const { changes } = toEffect(draft);
  expect(changes).toMatchObject([
    { id: "a", before: { title: "a" }, after: { title: "A" } },
    { id: "x", before: null },
  ]);
  expect(Object.keys(changes[0]?.after ?? {})).toEqual(["title"]);
});
