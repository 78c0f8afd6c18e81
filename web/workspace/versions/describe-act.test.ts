import { expect, test } from "vitest";
import { compareLists, listFileChanges } from "./describe-act.ts";

const change = (what: "file" | "entity", id: string, before: object | null, after: object | null) => ({
  what,
  id,
  title: id,
  before: before as Record<string, unknown> | null,
  after: after as Record<string, unknown> | null,
});

test("lists an act's files as new, changed or deleted", () => {
  const changes = [
    change("file", "a", null, { hash: "1" }),
    change("file", "b", { hash: "1" }, { hash: "2" }),
    change("entity", "e", null, {}),
    change("file", "c", { hash: "1" }, null),
  ];
  expect(listFileChanges({ changes })).toEqual([
    { path: "a", what: "new" },
    { path: "b", what: "changed" },
    { path: "c", what: "deleted" },
  ]);
});

test("compares two file lists by path and hash", () => {
  const file = (path: string, hash: string) => ({ path, hash });
  const before = [file("same", "1"), file("gone", "1"), file("changed", "1")];
  const after = [file("same", "1"), file("changed", "2"), file("come", "1")];
  expect(compareLists(before, after)).toEqual([
    { path: "changed", what: "changed" },
    { path: "come", what: "new" },
    { path: "gone", what: "deleted" },
  ]);
});
