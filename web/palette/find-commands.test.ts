import { expect, test } from "vitest";
import { addRecent, findCommands, readRecent, type Searchable } from "./find-commands.ts";

const command = (id: string, title: string, words = "", group = "Go to"): Searchable => ({ id, title, words, group });

const all = [
  command("theme-dark", "Dark theme", "night look appearance"),
  command("archive", "Archive this thread", "put away hide"),
  command("memory", "Memory", "remember facts about me"),
  command("cafe", "Café in Zürich", "", "Threads"),
  command("rearchived", "The rearchived papers", "", "Threads"),
];

const find = (query: string, recent: readonly string[] = []) => findCommands(all, query, recent).map(({ id }) => id);

test("every word has to be there, in any order", () => {
  expect(find("thread archive")).toEqual(["archive", "rearchived"]);
  expect(find("theme dark")).toEqual(["theme-dark"]);
  expect(find("dark archive")).toEqual([]);
});

test("other words for the same are found, below what is called that", () => {
  expect(find("night")).toEqual(["theme-dark"]);
  expect(find("me")).toEqual(["memory", "theme-dark"]);
});

test("the beginning of a word comes before its middle", () => {
  expect(find("archive")).toEqual(["archive", "rearchived"]);
});

test("a title that begins with all that was typed comes first", () => {
  const some = [command("begin", "New thread: Project"), command("new", "New project")];
  expect(findCommands(some, "new proj", ["begin"]).map(({ id }) => id)).toEqual(["new", "begin"]);
});

test("accents and capitals do not matter", () => {
  expect(find("cafe ZURICH")).toEqual(["cafe"]);
});

test("nothing typed shows all of it, what was done lately first", () => {
  expect(find("", ["memory", "cafe"])).toEqual(["memory", "cafe", "theme-dark", "archive", "rearchived"]);
});

test("among equals what was done lately comes first, but not before what fits better", () => {
  const equals = [command("a", "Open one"), command("b", "Open two"), command("c", "Other", "open")];
  expect(findCommands(equals, "open", ["c", "b"]).map(({ id }) => id)).toEqual(["b", "a", "c"]);
});

test("what was done is remembered once, newest first, and not for ever", () => {
  const many = Array.from({ length: 20 }, (_, index) => `c${index}`).reduce(addRecent, [] as readonly string[]);
  expect(many.slice(0, 2)).toEqual(["c19", "c18"]);
  expect(many).toHaveLength(12);
  expect(addRecent(many, "c18").slice(0, 2)).toEqual(["c18", "c19"]);
  expect(readRecent(null)).toEqual([]);
  expect(readRecent("a b")).toEqual(["a", "b"]);
});
