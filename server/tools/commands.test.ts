import fc from "../../test/support/fast-check.ts";
import { expect, test } from "vitest";
import { commands, parseCommands } from "./commands.ts";

const tools = ["search_web", "working_memory", "now", "mcp_files_read"];
const parse = (text: string) => parseCommands(text, tools);
const named = (text: string): readonly string[] => parse(text).commands.map(({ command }) => command);

test("a command selects its tool with preset arguments", () => {
  expect(parse("@basic granite prices")).toEqual({
    commands: [
      {
        command: "@basic",
        tool: "search_web",
        input: { provider: "tavily", depth: "quick" },
        at: 0,
        text: "granite prices",
      },
    ],
    rest: "granite prices",
  });
  expect(parse("please @search granite").commands).toMatchObject([
    { tool: "search_web", input: { provider: "firecrawl" }, at: 7 },
  ]);
  expect(parse("@workingMemory I like tea").commands).toMatchObject([{ tool: "working_memory", input: {} }]);
  expect(parse("@summarize").commands).toMatchObject([{ tool: "summarize" }]);
});

test("ignores case, hyphens and underscores in names", () => {
  for (const text of ["@BASIC x", "@Basic x"]) expect(named(text)).toEqual(["@basic"]);
  for (const text of ["@workingmemory", "@WORKING_MEMORY", "@working-memory"]) {
    expect(parse(text).commands).toMatchObject([{ tool: "working_memory" }]);
  }
  expect(parse("@now?").commands).toEqual([{ command: "@now", tool: "now", input: {}, at: 0, text: "?" }]);
  expect(named("@mcp_files_read a.txt")).toEqual(["@mcp_files_read"]);
});

test("lists commands in text order, each once", () => {
  expect(named("@search then @basic, and @search again (@now)")).toEqual(["@search", "@basic", "@now"]);
});

test.each([
  "write to ann@basic.example",
  "write to me@search",
  "my handle is @basic.example",
  "@basics of granite",
  "@search-engine",
  "@basic_law",
  "@searching",
  "@@search",
  "@search@example.social",
  "see https://video.example/@search/videos",
  "see https://a.example/?q=@search",
  "www.example.com/ @nothing",
  "https://a.example/(@search)",
  "the code `@search x` is quoted",
  "``a ` @search``",
  "```\n@search\n```",
  "```ts\n@now\n",
  "nothing at all",
  "@",
  "@ search",
  "@unknown tool",
])("finds no command in %s and leaves it unchanged", (text) => {
  expect(parse(text)).toEqual({ commands: [], rest: text.trim() });
});

test.each([
  ["(@search) x", "() x"],
  ["tell me: @search granite", "tell me: granite"],
  ["granite @search", "granite"],
  ["`code` @search, please", "`code` , please"],
  ["it's a lone ` and @now", "it's a lone ` and"],
  ["first line\n@search second line", "first line\nsecond line"],
  ["查一下 @search 花岗岩", "查一下 花岗岩"],
])("removes the command from %s, leaving %s", (text, rest) => {
  const found = parse(text);
  expect(found.commands).toHaveLength(1);
  expect(found.rest).toBe(rest);
});

test("every reported position is the @ of that command", () => {
  const piece = fc.constantFrom("@basic", "@search", "@now", "x", " ", "\n", "`", "```", ".", "@", "https://a.b/", "ä");
  let found = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join("");
      for (const { at, command } of parse(text).commands) {
        expect(text.slice(at, at + command.length)).toBe(command);
        found += 1;
      }
    }),
    { numRuns: 2000 },
  );
  expect(found).toBeGreaterThan(300);
});

test("the rest keeps all other words in order", () => {
  const word = fc.constantFrom("@basic", "@SEARCH", "@now", "granite", "a@now.example", "`@now`", "@other", "мрамор");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 20 }), (words) => {
      const others = words.filter((one) => !/^@(?:basic|search|now)$/i.test(one));
      expect(parse(words.join(" ")).rest).toBe(others.join(" "));
    }),
  );
});

test("every command has a description", () => {
  for (const { command, about } of commands) {
    expect(command).toMatch(/^@[a-zA-Z]+$/);
    expect(about.length).toBeGreaterThan(10);
    expect(named(command)).toEqual([command]);
  }
});
