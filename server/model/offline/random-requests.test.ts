import fc from "../../../test/support/fast-check.ts";
import { expect, test } from "vitest";
import type { ModelRequest, PromptMessage, ToolSpec } from "../../../protocol/model.ts";
import { composeAnswer } from "./answer.ts";

const names = ["calculate", "now", "plan_research", "read_artifact", "scrape_webpage", "search_web", "weather"];
const tools: readonly ToolSpec[] = [...names, "working_memory"].map((name) => ({
  name,
  description: "",
  inputSchema: {},
}));

const words = fc.oneof(
  fc.string({ maxLength: 200, unit: "grapheme" }),
  fc.constantFrom("search for granite", "weather in Bergen", "remember that I like tea", "open [3]", "12*7", "@search"),
  fc.constantFrom("What is the tidal range?", "https://a.example/", "[Left for this answer: few tokens.]", ""),
);
const output = fc.oneof(
  fc.string({ maxLength: 300, unit: "grapheme" }),
  fc.json(),
  fc.constantFrom(
    '{"results":[{"url":"https://a.example/","ref":1,"relevance":0.9}]}',
    '{"pages":[{"url":"https://a.example/","ref":2,"text":"The tidal ra\n[… 9 characters left out …]\nnge is high."}]}',
    '{"queries":[{"query":"granite"},{"query":3},null]}',
    '{"changes":[{"field":"name"}],"memory":null}',
    '{"pages":null,"results":{}}',
  ),
);
const message = fc.oneof(
  words.map((text): PromptMessage => ({ role: "user", text })),
  words.map((text): PromptMessage => ({ role: "assistant", parts: [{ kind: "text", text }] })),
  fc
    .record({ name: fc.constantFrom(...names, "use_tool", "find_tools", "other"), text: output, failed: fc.boolean() })
    .map((result): PromptMessage => ({ role: "tool", results: [{ callId: "c", ...result }] })),
);
const choice = fc.oneof(
  fc.constantFrom<ModelRequest["toolChoice"]>("auto", "none"),
  fc.constantFrom(...names, "gone").map((tool) => ({ tool })),
);

test("any request gets the same non-empty answer each time, with calls of offered tools only", () => {
  let called = 0;
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), choice, words, (messages, toolChoice, system) => {
      const request: ModelRequest = { system, messages, tools, toolChoice, effort: "none", maxOutputTokens: null };
      const { text, calls } = composeAnswer(request);
      called += calls.length;
      expect(text !== "" || calls.length > 0).toBe(true);
      expect(text.isWellFormed()).toBe(true);
      expect(calls.length).toBeLessThanOrEqual(4);
      expect(calls.every(({ name }) => tools.some((tool) => tool.name === name))).toBe(true);
      expect(toolChoice === "none" ? calls : []).toEqual([]);
      expect(composeAnswer(request)).toEqual({ text, calls });
    }),
    { numRuns: process.env["STONECHAT_DEEP"] === "1" ? 20_000 : 2000 },
  );
  expect(called).toBeGreaterThan(200);
});
