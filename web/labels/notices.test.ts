import { expect, test } from "vitest";
import { describeEarlyEnd, toNoticeText, toPageText } from "./notices.ts";

test("shows fixed texts by their code with their values, and other texts as the server wrote them", () => {
  const text = "As the server wrote it.";
  expect(toNoticeText({ code: "fewer-tools", text, values: [4096, 7, 13] })).toBe(
    "This model's context window of 4,096 tokens is too small for all tools: 7 of 13 are offered. To use the others, give the model server a larger context window (in Ollama: OLLAMA_CONTEXT_LENGTH), or choose another model.",
  );
  expect(toNoticeText({ code: "no-tools", text, values: [] })).toContain("does not support tools");
  expect(toNoticeText({ code: "no-tools", text })).toBe(text);
  expect(toNoticeText({ code: "unknown", text, values: [] })).toBe(text);
});

test("shows a text by its sentences, and as the server wrote it if it has none or one is unknown", () => {
  const text = "As the server wrote it.";
  const known = { name: "resting", values: ["Basalt", 1200] };
  expect(toPageText({ text })).toBe(text);
  expect(toPageText({ text, sentences: [known, { name: "next-same", values: [] }] })).toBe(
    "Basalt failed several times in a row and is not called for 1,200 s. Trying again.",
  );
  expect(toPageText({ text, sentences: [known, { name: "constructor", values: [] }] })).toBe(text);
  expect(toNoticeText({ code: "cut", text })).toBe(text);
  expect(toNoticeText({ code: "cut", text, sentences: [known] })).toContain("Basalt failed several times");
});

test("describes the end of an answer in one line, also if it was stored without sentences", () => {
  const rest = "The answer was cut off at the model's output limit.";
  const text = `${rest} Choose Continue to get the rest.`;
  const sentences = ["ended-length", "continue-rest"].map((name) => ({ name, values: [] }));
  expect(describeEarlyEnd({ outcome: "limit", reason: { code: "ended-length", text } })).toBe(rest);
  expect(describeEarlyEnd({ outcome: "limit", reason: { code: "ended-length", text, sentences } })).toBe(rest);
  expect(describeEarlyEnd({ outcome: "failed", reason: { code: "cut", text: "It broke." } })).toBe("Failed: It broke.");
  expect(describeEarlyEnd({ outcome: "stopped", reason: null })).toBe("Stopped.");
});
