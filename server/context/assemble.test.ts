import fc from "../../test/support/fast-check.ts";
import { expect, test } from "vitest";
import type { PromptMessage } from "../../protocol/model.ts";
import type { Part, ToolState } from "../../protocol/parts.ts";
import { countTokens } from "../lib/tokens.ts";
import {
  answer,
  countMessages,
  run,
  snapshot,
  textsWithoutUpdates,
  textPart,
  textsOf,
  toolPart,
  user,
  withWindow,
} from "../../test/support/context/conversation.ts";

test("everything that fits is sent in order, and the receipt accounts for all of it", () => {
  const messages = [user(1, "one"), answer(2, [textPart("m2", 0, "two", 1)]), user(3, "three")];
  const { request, receipt } = run(snapshot(messages));
  const now = "<now>Sunday, 15 November 2026, 09:30 UTC</now>";
  expect(textsOf(request.messages)).toEqual(["one", "assistant", now, "three"]);
  expect(receipt.items.filter(({ kind }) => kind === "message").map(({ id }) => id)).toEqual(["m1", "m2", "m3"]);
  expect(receipt.leftOut).toEqual([]);
  expect(receipt.promptTokens).toBe(receipt.items.reduce((sum, { tokens }) => sum + tokens, 0));
});

test("over budget, the oldest messages are summarized, the newest stay, and every message is accounted for", () => {
  const long = "word ".repeat(1500);
  const messages = Array.from({ length: 20 }, (_, index) =>
    index % 2 ? answer(index + 1, [textPart(`m${index + 1}`, 0, long, 1)]) : user(index + 1, `${index + 1} ${long}`),
  );
  messages.push(user(21, "the newest fact"));
  const { request, receipt, compaction } = run(snapshot(messages));
  expect(textsOf(request.messages).at(-1)).toBe("the newest fact");
  expect(textsOf(request.messages)[0]).toMatch(/^<context messages="1-/);
  expect(compaction?.reason).toBe("full");
  expect(receipt.leftOut[0]).toMatchObject({ why: "before-the-cut", fromDepth: 1, toDepth: compaction?.depth });
  expect(countMessages(receipt)).toBe(21);
  expect(receipt.promptTokens + receipt.budget.reserve).toBeLessThanOrEqual(receipt.budget.window);
});

test.each([
  ["English", "a question that never ends ".repeat(8000)],
  ["one unbroken word", "x".repeat(90_000)],
  ["Chinese", "漢字処理系".repeat(12_000)],
  ["emoji", "👨‍👩‍👧‍👦".repeat(6000)],
])("one message larger than the window keeps its beginning and end: %s", (_, text) => {
  const { request, receipt } = run(snapshot([user(1, `START ${text} END`)]));
  const [message] = textsWithoutUpdates(request.messages);
  expect(message?.startsWith("START")).toBe(true);
  expect(message?.endsWith("END")).toBe(true);
  expect(message?.isWellFormed()).toBe(true);
  expect(countTokens(message ?? "")).toBeLessThanOrEqual(receipt.budget.window - receipt.budget.reserve);
  expect(receipt.items.find(({ kind }) => kind === "message")?.shortenedFrom).toBeGreaterThan(10_000);
});

test("superseded parts and notices are never sent, and are accounted for", () => {
  const aside: Part = { ...textPart("m2", 1, "half", 1), aside: "cut" };
  const place = { id: "m2.2", v: 1, n: 2, step: 1 } as const;
  const notice: Part = { ...place, kind: "notice", level: "warning", code: "x", text: "a notice" };
  const { request, receipt } = run(
    snapshot([user(1, "q"), answer(2, [aside, notice, textPart("m2", 3, "whole", 1)]), user(3, "r")]),
  );
  expect(JSON.stringify(request)).not.toMatch(/half|a notice/);
  expect(receipt.leftOut).toMatchObject([{ why: "set-aside", parts: ["m2/1"] }]);
});

/** Rules of every provider: calls and results in pairs, a user message first, no empty message. */
function findFault(messages: readonly PromptMessage[]): string | undefined {
  if (messages[0]?.role !== "user") return "it does not open with the person";
  for (const [index, message] of messages.entries()) {
    const calls =
      message.role === "assistant"
        ? message.parts.filter((part) => part.kind === "tool-call").map(({ callId }) => callId)
        : [];
    const next = messages[index + 1];
    const results = next?.role === "tool" ? next.results.map(({ callId }) => callId) : [];
    if (JSON.stringify(calls) !== JSON.stringify(results)) return "a call and its result are apart";
    if (message.role === "assistant" && message.parts.length === 0) return "an empty message";
    if (message.role === "tool" && messages[index - 1]?.role !== "assistant") return "a result without a call";
  }
  return undefined;
}

const arbitraryText = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.nat(600).map((n) => "lorem ".repeat(n)),
);
const arbitraryStep = fc.record({
  said: fc.string({ maxLength: 400 }),
  calls: fc.array(
    fc.record({
      output: arbitraryText,
      state: fc.constantFrom<ToolState>("ok", "error", "cancelled", "unknown", "running", "ready"),
    }),
    { maxLength: 3 },
  ),
});
const arbitraryThread = fc.array(
  fc.record({
    question: arbitraryText.map((text) => `?${text}`),
    steps: fc.array(arbitraryStep, { maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 12 },
);

test("a thread in any state gives a request that providers accept", () => {
  let cut = 0;
  fc.assert(
    fc.property(arbitraryThread, fc.constantFrom(2200, 4000, 8000), (turns, windowTokens) => {
      const messages = turns.flatMap(({ question, steps }, turn) => {
        const id = `m${turn * 2 + 2}`;
        let n = 0;
        const parts = steps.flatMap(({ said, calls }, step) => [
          textPart(id, n++, said, step + 1),
          ...calls.map(({ output, state }) => toolPart(id, n++, step + 1, output, state)),
        ]);
        return [user(turn * 2 + 1, question), answer(turn * 2 + 2, parts)];
      });
      const input = snapshot(messages, withWindow(windowTokens));
      const { request, receipt, compaction } = run(input);
      if (compaction) cut += 1;
      expect(findFault(request.messages)).toBeUndefined();
      const asked = turns.at(-1)?.question ?? "";
      const texts = textsOf(request.messages);
      expect(texts.some((text) => text === asked || text.includes("characters left out"))).toBe(true);
      expect(countMessages(receipt)).toBe(messages.length);
      expect(receipt.promptTokens + receipt.budget.reserve).toBeLessThanOrEqual(receipt.budget.window);
      expect(run(input).request).toEqual(request);
    }),
    { numRuns: process.env["STONECHAT_DEEP"] === "1" ? 10_000 : 500 },
  );
  expect(cut).toBeGreaterThan(20);
});

test("the checker reports an invalid request (control)", () => {
  expect(
    findFault([
      { role: "user", text: "q" },
      { role: "assistant", parts: [{ kind: "tool-call", callId: "1", name: "x", input: {} }] },
    ]),
  ).toBe("a call and its result are apart");
});
