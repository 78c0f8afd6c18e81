import { expect, test } from "vitest";
import type { EntityLine } from "../../../protocol/project/project.ts";
import { filterTree, pathTo, toDropMove, toRows, toTree, toTreeMove } from "./tree-rows.ts";

const line = (id: string, parentId: string | null, position: number): EntityLine =>
  ({ id, parentId, position, title: `Doc ${id}`, version: 3 }) as EntityLine;

/** a (b, c (d)), e */
const tree = toTree([line("e", null, 2), line("c", "a", 2), line("a", null, 1), line("b", "a", 1), line("d", "c", 1)]);
const shown = (open: readonly string[]) => toRows(tree, new Set(open)).map((row) => `${row.depth}${row.line.id}`);

test("shows the children of expanded documents, in order", () => {
  expect(shown([])).toEqual(["1a", "1e"]);
  expect(shown(["a"])).toEqual(["1a", "2b", "2c", "1e"]);
  expect(shown(["a", "c"])).toEqual(["1a", "2b", "2c", "3d", "1e"]);
  expect(toRows(tree, new Set(["a"]))[2]).toMatchObject({ hasChildren: true, isOpen: false, position: 2, siblings: 2 });
});

test("a document with an unknown parent is at the top level", () => {
  expect(toRows(toTree([line("x", "nobody", 1)]), new Set()).map(({ depth }) => depth)).toEqual([1]);
});

test("filtering shows matches with their parents", () => {
  expect(filterTree(tree, "doc D").map((row) => row.line.id)).toEqual(["a", "c", "d"]);
  expect(pathTo(tree, "d")).toEqual(["c", "a"]);
});

test("arrow keys move a document among its siblings, in and out", () => {
  const move = (id: string, key: string) => toTreeMove(tree, id, key);
  const to = (parentId: string | null, after?: string | null) => ({
    do: "move",
    version: 3,
    parentId,
    ...(after === undefined ? {} : { after }),
  });
  expect(move("c", "ArrowUp")).toEqual({ ...to("a", null), id: "c" });
  expect(move("b", "ArrowDown")).toEqual({ ...to("a", "c"), id: "b" });
  expect(move("b", "ArrowUp")).toBeNull();
  expect(move("e", "ArrowRight")).toEqual({ ...to("a"), id: "e" });
  expect(move("a", "ArrowRight")).toBeNull();
  expect(move("d", "ArrowLeft")).toEqual({ ...to("a", "c"), id: "d" });
  expect(move("c", "ArrowLeft")).toEqual({ ...to(null, "a"), id: "c" });
  expect(move("a", "ArrowLeft")).toBeNull();
});

test("a drop moves before, into or after the target, never into the document itself", () => {
  expect(toDropMove(tree, { id: "e", targetId: "b", where: "before" })).toMatchObject({ parentId: "a", after: null });
  expect(toDropMove(tree, { id: "e", targetId: "b", where: "after" })).toMatchObject({ parentId: "a", after: "b" });
  expect(toDropMove(tree, { id: "e", targetId: "d", where: "inside" })).toMatchObject({ parentId: "d" });
  expect(toDropMove(tree, { id: "a", targetId: "d", where: "inside" })).toBeNull();
  expect(toDropMove(tree, { id: "a", targetId: "a", where: "after" })).toBeNull();
});
