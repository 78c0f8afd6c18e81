import { expect, test } from "vitest";
import type { Part } from "../parts.ts";
import { joinSources, toSource, untrustedIn } from "./untrusted.ts";

const part = (more: object): Part => ({ id: "m.1", v: 1, n: 1, step: 1, ...more }) as Part;
const call = (more: object): Part => part({ kind: "tool", callId: "c", name: "now", state: "ok", ...more });

test("joins sources without duplicates and groups all beyond eight under one name", () => {
  expect(joinSources(["a", "b"], undefined, ["b", "c"])).toEqual(["a", "b", "c"]);
  const many = Array.from({ length: 20 }, (_, n) => `s${n}`);
  const joined = joinSources(many);
  expect(joined).toEqual([...many.slice(0, 8), "other sources"]);
  expect(joinSources(joined, ["s0"], many)).toEqual(joined);
});

test("shortens a source name to one bounded line without control characters", () => {
  expect(toSource("a\u0000\nb\u202Ec")).toBe("a b c");
  expect(toSource("x".repeat(500))).toHaveLength(101);
});

test.each<[string, Part, readonly string[]]>([
  ["text without a label", part({ kind: "text", state: "done", text: "" }), []],
  ["text with a label", part({ kind: "text", state: "done", text: "", untrusted: ["a"] }), ["a"]],
  ["a superseded attempt", part({ kind: "text", state: "cut", text: "", aside: "x", untrusted: ["a"] }), []],
  [
    "an attached file",
    part({ kind: "file", mediaType: "a/b", name: "x.pdf", attachmentId: "1" }),
    ["the file “x.pdf”"],
  ],
  [
    "a source that the provider cited",
    part({ kind: "source", sourceType: "url", url: "https://a.example/b" }),
    ["a.example"],
  ],
  [
    "a source from a built-in tool",
    part({ kind: "source", sourceType: "url", url: "https://a.example/b", status: "found" }),
    [],
  ],
  ["a call whose tool read no untrusted content", call({ name: "mcp_x_y", untrusted: [] }), []],
  ["a 0.1.0 call of a built-in tool", call({}), []],
  ["a 0.1.0 call of a renamed built-in tool", call({ name: "lov-view" }), []],
  ["a call of a built-in tool that has not run yet", call({ name: "view_file", state: "asking" }), []],
  ["a 0.1.0 call that read a page", call({ name: "scrape_webpage" }), ["the tool scrape_webpage"]],
  ["a failed 0.1.0 call to a removed server", call({ name: "mcp_x_y", state: "error" }), ["the tool mcp_x_y"]],
  ["a 0.1.0 call through call_tool", call({ name: "use_tool", input: { name: "mcp_x_y" } }), ["the tool mcp_x_y"]],
  ["a denied 0.1.0 call", call({ name: "mcp_x_y", state: "denied" }), []],
])("%s", (_, given, sources) => {
  expect(untrustedIn([given])).toEqual(sources);
});
