import { expect, test } from "vitest";
import type { Part } from "../../protocol/parts.ts";
import { cardKindOf } from "../labels/card-kind.ts";
import { describeElapsed } from "../lib/format.ts";
import { titleOf, toMcpToolName, toTitle, unwrapCall, type ToolPart } from "../labels/tools.ts";
import { listSearched, toChecklist } from "../sources/plan.ts";
import { listPlaceholders } from "./placeholders.ts";
import { toStage } from "./stage.ts";
import { summarizeCalls } from "./summarize.ts";

const call = (name: string, part: Partial<ToolPart> = {}): ToolPart => ({
  id: name,
  v: 1,
  n: 0,
  step: 1,
  kind: "tool",
  callId: name,
  name,
  state: "ok",
  ...part,
});
const search = (query: string, part: Partial<ToolPart> = {}) => call("search_web", { input: { query }, ...part });
const read = (...urls: string[]) => call("scrape_webpage", { input: { urls } });

test("summarizes many calls in one line", () => {
  const timed = [
    search("a", { startedAt: 1000, endedAt: 3000 }),
    search("b", { startedAt: 3000, endedAt: 5000, state: "error" }),
    call("use_tool", { input: { name: "search_web", input: { query: "c" } } }),
    read("1", "2", "3"),
    { ...call("scrape_webpage", { input: { url: "4" } }), startedAt: 9000, endedAt: 13_000 },
    call("plan_research"),
  ];
  // The pause between the calls does not count.
  expect(summarizeCalls(timed)).toBe("Read 4 pages, 3 searches, 1 failed · 8.0 s");
});

test("counts only pages that were read and files that were changed", () => {
  const output = { pages: [{ url: "1" }, { url: "2", error: "The page answered 404." }] };
  expect(summarizeCalls([{ ...read("1", "2"), output }])).toBe("Read 1 page, 1 could not be read");
  const failed = ["a", "b", "c"].map((path) => ({ ...onFile("write_file", path), state: "error" as const }));
  expect(summarizeCalls(failed)).toBe("3 failed");
});

const onFile = (name: string, path: string) => call(name, { id: `${name} ${path}`, input: { file_path: path } });

test.each([
  ["current names", ["write_file", "replace_lines", "delete_file", "view_file"]],
  ["the names of 0.1.0", ["lov-write", "lov-line-replace", "lov-delete", "lov-view"]],
  ["another alias", ["write_file", "edit_file", "delete_file", "view_file"]],
] as const)("summarizes the builder's calls by file: %s", (_, [write, edit, remove, view]) => {
  const calls = [onFile(write, "a"), onFile(edit, "a"), onFile(remove, "b"), onFile(view, "a")];
  expect(summarizeCalls(calls)).toBe("Changed 2 files, viewed 1 file");
});

test("chooses the builder's and the project's cards, also for aliases", () => {
  expect(["write_file", "lov-write", "edit_file", "rename_file"].map(cardKindOf)).toEqual(Array(4).fill("fileChange"));
  expect(["read_console_logs", "lov-add-dependency"].map(cardKindOf)).toEqual(["workspace", "workspace"]);
  expect(["list_entities", "get_entity_details"].map(cardKindOf)).toEqual(["entities", "entities"]);
  expect(["mcp__disk__write_file", "constructor", "__proto__"].map(cardKindOf)).toEqual(Array(3).fill("generic"));
});

test("leaves out a time that would read as 0.0 s", () => {
  const write = onFile("write_file", "a");
  expect(summarizeCalls([{ ...write, startedAt: 1000, endedAt: 1049 }])).toBe("Changed 1 file");
  expect(summarizeCalls([{ ...write, startedAt: 1000, endedAt: 1050 }])).toBe("Changed 1 file · 0.1 s");
});

test("adds other calls to the builder's summary", () => {
  expect(summarizeCalls([onFile("write_file", "a"), call("search_files")])).toBe("Changed 1 file, search files");
});

test.each([
  [[call("now"), call("now")], "Now 2 times"],
  [[call("calculate")], "Calculate"],
  [[call("now"), call("weather", { state: "denied" })], "Now, weather, 1 denied"],
  [[call("now"), call("weather"), call("summarize")], "3 other calls"],
  [[call("find_tools"), call("list_entities"), call("list_entities")], "List entities 2 times"],
  [[call("plan_research")], "1 call"],
  [[read("1"), search("x")], "Read 1 page, 1 search"],
])("%# is summarized as %s", (calls, line) => {
  expect(summarizeCalls(calls)).toBe(line);
});

test.each([
  [0, "0.0 s"],
  [420, "0.4 s"],
  [9960, "10 s"],
  [12_345, "12 s"],
  [65_000, "1 min 5 s"],
  [120_000, "2 min"],
  [-5, "0.0 s"],
])("%i ms are %s", (elapsedMs, words) => {
  expect(describeElapsed(elapsedMs)).toBe(words);
});

test.each([
  ["search_web", "Search web"],
  ["basicWebSearch", "Basic web search"],
  ["current-time", "Current time"],
])("titles the tool %s as %s", (name, title) => {
  expect(toTitle(name)).toBe(title);
});

test("shows the wrapped tool of a call, with the server of an MCP tool", () => {
  const wrapped = unwrapCall(call("use_tool", { input: { name: "mcp__files__read_file", input: { path: "a" } } }));
  expect(wrapped).toMatchObject({ name: "mcp__files__read_file", input: { path: "a" } });
  expect(toMcpToolName(wrapped.name)).toEqual({ server: "files", tool: "read_file" });
  expect(titleOf(wrapped)).toBe("Read file");
  expect(toMcpToolName("search_web")).toBeNull();
  expect(unwrapCall(call("use_tool", { input: "raw" })).name).toBe("use_tool");
});

test("ticks off planned searches by their query, ignoring case and punctuation", () => {
  const plan = call("plan_research", {
    input: { queries: [{ query: "Tides, Saint-Malo", priority: 1 }, { query: "La Rance" }, "a bare one"] },
  });
  const done = listSearched([
    search("tides  saint malo"),
    search("La Rance", { state: "error" }),
    call("use_tool", { input: { name: "search_web", input: { query: "A BARE ONE" } } }),
    search("other", { aside: "stalled" }),
  ]);
  expect(toChecklist(plan, done).map(({ query, isDone }) => [query, isDone])).toEqual([
    ["Tides, Saint-Malo", true],
    ["La Rance", false],
    ["a bare one", true],
  ]);
});

test("describes the current activity, and nothing while text streams", () => {
  const text: Part = { id: "t", v: 1, n: 1, step: 1, kind: "text", state: "streaming", text: "So" };
  const running = call("scrape_webpage", { state: "running", progress: { text: "Reading a.example", done: 1, of: 2 } });
  expect(toStage([running, search("x", { state: "running" })])).toBe("Reading a.example, and 1 more");
  expect(toStage([search("x", { state: "ready", title: "Search for x" })])).toBe("Search for x");
  expect(toStage([running, call("pay", { state: "asking" })])).toBe("Waiting for approval");
  expect(toStage([search("x")])).toBe("Thinking…");
  expect(toStage([search("x"), text])).toBeNull();
  expect(toStage([])).toBeNull();
});

test("lists each placeholder once, at any depth", () => {
  const value = { a: "x [secret:token:0a1b2c3d] y", b: ["[secret:token:0a1b2c3d]", "[secret:api-key:ffffffff]"] };
  expect(listPlaceholders(value)).toEqual(["[secret:token:0a1b2c3d]", "[secret:api-key:ffffffff]"]);
  expect(listPlaceholders(undefined)).toEqual([]);
});
