import { expect, test } from "vitest";
import type { FileLine } from "../../../protocol/workspace/workspace.ts";
import { toTreeMove } from "./tree-keys.ts";
import { findByName, listInside, toTreeRows } from "./tree-rows.ts";

const file = (path: string): FileLine => ({ path, hash: path, bytes: 1, lines: 1, seq: 1, updatedAt: 1 });
const files = ["src/App.tsx", "src/parts/tab-10.tsx", "src/parts/tab-2.tsx", "index.html", "App.css"].map(file);
const draw = (open: boolean, empty: readonly string[] = []) =>
  toTreeRows(files, empty, () => open).map(
    ({ level, kind, name }) => `${level} ${kind === "folder" ? "/" : ""}${name}`,
  );

test("sorts folders first and names in natural order", () => {
  expect(draw(true)).toEqual([
    "1 /src",
    "2 /parts",
    "3 tab-2.tsx",
    "3 tab-10.tsx",
    "2 App.tsx",
    "1 App.css",
    "1 index.html",
  ]);
});

test("hides the content of closed folders and shows new empty folders", () => {
  expect(draw(false)).toEqual(["1 /src", "1 App.css", "1 index.html"]);
  expect(draw(true, ["src/hooks"])).toContain("2 /hooks");
  expect(draw(true, ["src/parts"])).toEqual(draw(true));
});

test("each row knows its position among its siblings", () => {
  const rows = toTreeRows(files, [], () => true);
  expect(rows.filter(({ level }) => level === 1).map(({ position, siblings }) => [position, siblings])).toEqual([
    [1, 3],
    [2, 3],
    [3, 3],
  ]);
});

test("finds files by words of their path, matches in the name first", () => {
  const paths = (query: string) => findByName(files, query).map(({ path }) => path);
  expect(paths("tab 2")).toEqual(["src/parts/tab-2.tsx"]);
  expect(paths("APP")).toEqual(["src/App.tsx", "App.css"]);
  expect(paths("src tsx")).toHaveLength(3);
  expect(paths("nothing")).toEqual([]);
  expect(listInside(files, "src/parts").map(({ path }) => path)).toEqual([
    "src/parts/tab-10.tsx",
    "src/parts/tab-2.tsx",
  ]);
});

test("moves through the tree with the keys of the ARIA pattern", () => {
  const rows = toTreeRows(files, [], (path) => path === "src");
  const names = rows.map(({ name }) => name);
  expect(names).toEqual(["src", "parts", "App.tsx", "App.css", "index.html"]);
  const press = (key: string, at: number) => toTreeMove(key, rows, at);
  expect(press("ArrowDown", 0)).toEqual({ go: 1 });
  expect(press("ArrowUp", 0)).toEqual({ go: 0 });
  expect(press("End", 0)).toEqual({ go: 4 });
  expect(press("ArrowRight", 0)).toEqual({ go: 1 });
  expect(press("ArrowRight", 1)).toEqual({ fold: "src/parts", isOpen: true });
  expect(press("ArrowLeft", 0)).toEqual({ fold: "src", isOpen: false });
  expect(press("ArrowLeft", 2)).toEqual({ go: 0 });
  expect(press("ArrowLeft", 4)).toBeNull();
  expect(press("Enter", 2)).toEqual({ act: "open" });
  expect(press("F2", 2)).toEqual({ act: "rename" });
  expect(press("a", 2)).toEqual({ go: 3 });
  expect(press("a", 3)).toEqual({ go: 2 });
  expect(press("Tab", 3)).toBeNull();
});
