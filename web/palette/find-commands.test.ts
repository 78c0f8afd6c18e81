import { expect, test } from "vitest";
import { addRecent, findCommands, readRecent, type Searchable } from "./find-commands.ts";

const command = (id: string, title: string, keywords = "", group = "Go to"): Searchable => ({
  id,
  title,
  keywords,
  group,
});

const all = [
  command("theme-dark", "Dark theme", "night look appearance"),
  command("archive", "Archive this thread", "put away hide"),
  command("memory", "Memory", "remember facts about me"),
  command("cafe", "Café in Zürich", "", "Threads"),
  command("rearchived", "The rearchived papers", "", "Threads"),
];

const find = (query: string, recent: readonly string[] = []) => findCommands(all, query, recent).map(({ id }) => id);

test("requires every word, in any order", () => {
  expect(find("thread archive")).toEqual(["archive", "rearchived"]);
  expect(find("theme dark")).toEqual(["theme-dark"]);
  expect(find("dark archive")).toEqual([]);
});

test("finds keywords and ranks them below titles", () => {
  expect(find("night")).toEqual(["theme-dark"]);
  expect(find("me")).toEqual(["memory", "theme-dark"]);
});

test("ranks the start of a word above its middle", () => {
  expect(find("archive")).toEqual(["archive", "rearchived"]);
});

test("ranks a title that starts with the query first", () => {
  const some = [command("begin", "New thread: Project"), command("new", "New project")];
  expect(findCommands(some, "new proj", ["begin"]).map(({ id }) => id)).toEqual(["new", "begin"]);
});

test("ignores accents and case", () => {
  expect(find("cafe ZURICH")).toEqual(["cafe"]);
});

test("returns everything for an empty query, recent commands first", () => {
  expect(find("", ["memory", "cafe"])).toEqual(["memory", "cafe", "theme-dark", "archive", "rearchived"]);
});

test("breaks ties by recent use, but ranks better matches first", () => {
  const equals = [command("a", "Open one"), command("b", "Open two"), command("c", "Other", "open")];
  expect(findCommands(equals, "open", ["c", "b"]).map(({ id }) => id)).toEqual(["b", "a", "c"]);
});

test("stores at most 12 recent commands, newest first, without duplicates", () => {
  const many = Array.from({ length: 20 }, (_, index) => `c${index}`).reduce(addRecent, [] as readonly string[]);
  expect(many.slice(0, 2)).toEqual(["c19", "c18"]);
  expect(many).toHaveLength(12);
  expect(addRecent(many, "c18").slice(0, 2)).toEqual(["c18", "c19"]);
  expect(readRecent(null)).toEqual([]);
  expect(readRecent("a b")).toEqual(["a", "b"]);
});
