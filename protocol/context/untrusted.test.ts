import { expect, test } from "vitest";
import type { Part } from "../parts.ts";
import { joinSources, toSource, untrustedIn } from "./untrusted.ts";

const part = (more: object): Part => ({ id: "m.1", v: 1, n: 1, step: 1, ...more }) as Part;
const call = (more: object): Part => part({ kind: "tool", callId: "c", name: "now", state: "ok", ...more });

test("sources are joined once each, and beyond eight the rest is named as one", () => {
  expect(joinSources(["a", "b"], undefined, ["b", "c"])).toEqual(["a", "b", "c"]);
  const many = Array.from({ length: 20 }, (_, n) => `s${n}`);
  const joined = joinSources(many);
  expect(joined).toEqual([...many.slice(0, 8), "other sources"]);
  expect(joinSources(joined, ["s0"], many)).toEqual(joined);
});

test("a name is one line without control characters, and bounded", () => {
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
  ["a source of ours", part({ kind: "source", sourceType: "url", url: "https://a.example/b", status: "found" }), []],
  ["a call whose tool read nothing", call({ name: "mcp_x_y", untrusted: [] }), []],
  ["a call of 0.1.0, own tool", call({}), []],
  ["a call of 0.1.0, own tool since renamed", call({ name: "lov-view" }), []],
  ["a call that has not run yet, own tool", call({ name: "view_file", state: "asking" }), []],
  ["a call of 0.1.0, page", call({ name: "scrape_webpage" }), ["the tool scrape_webpage"]],
  ["a failed call of 0.1.0, server since removed", call({ name: "mcp_x_y", state: "error" }), ["the tool mcp_x_y"]],
  ["a carried call of 0.1.0", call({ name: "use_tool", input: { name: "mcp_x_y" } }), ["the tool mcp_x_y"]],
  ["a denied call of 0.1.0", call({ name: "mcp_x_y", state: "denied" }), []],
])("%s", (_, given, sources) => {
  expect(untrustedIn([given])).toEqual(sources);
});
