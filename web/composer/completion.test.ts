import { expect, test } from "vitest";
import {
  complete,
  filterSuggestions,
  findMention,
  replaceSlash,
  toSuggestions,
  type Suggestion,
} from "./completion.ts";

/** The bar marks the caret. */
const find = (marked: string) => findMention(marked.replace("|", ""), marked.indexOf("|"));

test.each([
  ["@|", ""],
  ["@sea|", "sea"],
  ["please @wor|", "wor"],
  ["line\n@ba|", "ba"],
  ["(@ba|)", "ba"],
  ["@sea|rch now", "search"],
])("finds the word after the @ in %j: %j", (marked, word) => {
  expect(find(marked)?.word).toBe(word);
});

test.each([
  ["/|", ""],
  ["/sea|", "sea"],
  ["first\n/rev|iew it", "review"],
])("finds the word after the / in %j: %j", (marked, word) => {
  expect(find(marked)).toMatchObject({ sign: "/", word });
});

test.each([
  "me@example|",
  "me@|",
  "@search |",
  "@a b|",
  "no|",
  "a.b@c.d|",
  "@@|",
  "and/or|",
  "https://a|",
  "/usr/bin|",
])("completes nothing in %j", (marked) => {
  expect(find(marked)).toBeNull();
});

const item = (name: string, kind: Suggestion["kind"] = "tool"): Suggestion => ({
  kind,
  id: name,
  name,
  about: "",
  insert: `@${name}`,
});

test("ranks names that start with the word first, commands before tools, ignoring case", () => {
  const all = [item("workingMemory", "command"), item("search", "command"), item("working_memory"), item("search_web")];
  expect(filterSuggestions(all, "WOR").map(({ name }) => name)).toEqual(["workingMemory", "working_memory"]);
  expect(filterSuggestions(all, "mem").map(({ name }) => name)).toEqual(["workingMemory", "working_memory"]);
  expect(filterSuggestions(all, "web").map(({ name }) => name)).toEqual(["search_web"]);
  expect(filterSuggestions(all, "").length).toBe(4);
  expect(filterSuggestions(all, "zzz")).toEqual([]);
});

test("replaces the whole word and adds one space", () => {
  const mention = find("ask @sea|rch about it");
  expect(mention && complete("ask @search about it", mention, item("search_web"))).toEqual({
    text: "ask @search_web about it",
    caret: 16,
  });
  const last = find("@ba|");
  expect(last && complete("@ba", last, item("basic"))).toEqual({ text: "@basic ", caret: 7 });
});

test("offers tools for files only in a project", () => {
  const tool = { description: "for models", repeat: "pure" as const, effects: [] };
  const offered = {
    commands: [],
    tools: [
      { ...tool, name: "now" },
      { ...tool, name: "view_file", needsProject: true as const },
    ],
  };
  const toIds = (hasProject: boolean) => toSuggestions(offered, hasProject).map(({ id }) => id);
  expect(toIds(false)).toEqual(["now"]);
  expect(toIds(true)).toEqual(["now", "view_file"]);
});

test("offers commands with or without their @", () => {
  const offered = toSuggestions(
    {
      commands: [{ command: "@basic", tool: "search_web", about: "quick" }],
      // A tool that has a command, and the engine's own tools, are not listed again.
      tools: ["now", "search_web", "find_tools", "use_tool", "ask_user"].map((name) => ({
        ...{ name, description: "for models", repeat: "pure" as const, effects: [] },
      })),
    },
    false,
  );
  expect(offered).toEqual([
    { kind: "command", id: "basic", name: "quick", about: "@basic", insert: "@basic" },
    { kind: "tool", id: "now", name: "Date and time", about: "Tells the current date and time.", insert: "@now" },
  ]);
});

test("a message that begins with a known command after a slash is sent as that command", () => {
  const offered = { commands: [{ command: "@search", tool: "search_web", about: "Search" }], tools: [] };
  expect(replaceSlash("/Search tides", offered)).toBe("@search tides");
  expect(replaceSlash("/searching tides", offered)).toBe("/searching tides");
  expect(replaceSlash("see /search", offered)).toBe("see /search");
  expect(replaceSlash("/search tides", null)).toBe("/search tides");
});
