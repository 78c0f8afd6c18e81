import { expect, test } from "vitest";
import { keepInMemory } from "../../lib/memory-storage.ts";
import { switchUser } from "./stored-user.ts";

const read = (stored: Map<string, string>) => Object.fromEntries(stored);

test("the first account that signs in adopts the drafts of this browser", () => {
  const stored = new Map([["draft.new", "Hello"]]);
  switchUser(keepInMemory(stored), "ada", () => 1);
  expect(read(stored)).toEqual({ "draft.new": "Hello", user: "ada 1" });
});

test("signing in again keeps drafts and unsent messages", () => {
  const stored = new Map([
    ["user", "ada 1"],
    ["draft.new", "Hello"],
    ["outbox.m1", "{}"],
  ]);
  switchUser(keepInMemory(stored), "ada", () => 2);
  expect(read(stored)).toEqual({ user: "ada 2", "draft.new": "Hello", "outbox.m1": "{}" });
});

test("a second account does not see drafts of the first, and the first finds them again", () => {
  const stored = new Map([
    ["user", "ada 1"],
    ["draft.new", "Ada's"],
    ["theme", "dark"],
    ["language", "de"],
  ]);
  const storage = keepInMemory(stored);
  switchUser(storage, "bob", () => 2);
  expect(storage.get("draft.new")).toBeNull();
  expect([storage.get("theme"), storage.get("language")]).toEqual(["dark", "de"]);
  storage.set("draft.new", "Bob's");
  switchUser(storage, "ada", () => 3);
  expect(storage.get("draft.new")).toBe("Ada's");
  switchUser(storage, "bob", () => 4);
  expect(storage.get("draft.new")).toBe("Bob's");
});
