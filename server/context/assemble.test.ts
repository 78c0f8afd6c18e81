import fc from "fast-check";
import { expect, test } from "vitest";
import type { MessageView } from "../../protocol/fold.ts";
import type { PromptMessage } from "../../protocol/model.ts";
import type { Part, ToolState } from "../../protocol/parts.ts";
import { countTokens } from "../lib/tokens.ts";
import { assemble, type Snapshot } from "./assemble.ts";

const head = { branchId: "b", runId: null, variants: [], createdAt: 0 };
const textPart = (id: string, n: number, text: string, step = 0): Part => ({
  id: `${id}.${n}`,
  v: 1,
  n,
  step,
  kind: "text",
  state: "done",
  text,
});
const toolPart = (id: string, n: number, step: number, output: string, state: ToolState = "ok"): Part => ({
  id: `${id}.${n}`,
  v: 1,
  n,
  step,
  kind: "tool",
  callId: `${id}-${n}`,
  name: "look",
  state,
  input: {},
  output,
});
const user = (depth: number, text: string): MessageView => ({
  ...head,
  id: `m${depth}`,
  role: "user",
  depth,
  parts: [textPart(`m${depth}`, 0, text)],
});
const answer = (depth: number, parts: readonly Part[]): MessageView => ({
  ...head,
  id: `m${depth}`,
  role: "assistant",
  depth,
  parts,
});

const countsOf = (messages: readonly MessageView[]) =>
  new Map(
    messages.flatMap(({ id, parts }) =>
      parts.map((part): [string, number] => [`${id}/${part.n}`, countTokens(JSON.stringify(part))]),
    ),
  );

const snapshot = (messages: readonly MessageView[], windowTokens: number | null = 8000): Snapshot => ({
  system: "You are careful.",
  messages,
  counts: countsOf(messages),
  tools: [],
  toolChoice: "auto",
  effort: "medium",
  model: { id: "m", windowTokens },
  earlierMessages: 0,
});

const run = (input: Snapshot) => assemble(input, countTokens);
const textsOf = (messages: readonly PromptMessage[]) =>
  messages.map((message) => (message.role === "user" ? message.text : message.role));

test("everything that fits is sent in order, and the receipt accounts for all of it", () => {
  const messages = [user(1, "one"), answer(2, [textPart("m2", 0, "two", 1)]), user(3, "three")];
  const { request, receipt } = run(snapshot(messages));
  expect(textsOf(request.messages)).toEqual(["one", "assistant", "three"]);
  expect(receipt.included.map(({ message }) => message)).toEqual(["m1", "m2", "m3"]);
  expect(receipt.leftOut).toEqual([]);
  expect(receipt.promptTokens).toBeGreaterThan(receipt.fixedTokens);
});

test("over the budget the oldest go and the newest stays, and what went is named", () => {
  const long = "word ".repeat(1500);
  const messages = Array.from({ length: 20 }, (_, index) =>
    index % 2 ? answer(index + 1, [textPart(`m${index + 1}`, 0, long, 1)]) : user(index + 1, `${index + 1} ${long}`),
  );
  messages.push(user(21, "the newest fact"));
  const { request, receipt } = run(snapshot(messages));
  expect(textsOf(request.messages).at(-1)).toBe("the newest fact");
  expect(request.messages[0]?.role).toBe("user");
  const [left] = receipt.leftOut;
  expect(left?.reason).toBe("over-budget");
  expect((left?.messages ?? 0) + new Set(receipt.included.map(({ message }) => message)).size).toBe(21);
  expect(receipt.promptTokens + receipt.reserveTokens).toBeLessThanOrEqual(receipt.windowTokens);
});

test.each([
  ["English", "a question that never ends ".repeat(8000)],
  ["one unbroken word", "x".repeat(90_000)],
  ["Chinese", "漢字処理系".repeat(12_000)],
  ["emoji", "👨‍👩‍👧‍👦".repeat(6000)],
])("one message larger than the window keeps its beginning and end: %s", (_, text) => {
  const { request, receipt } = run(snapshot([user(1, `START ${text} END`)]));
  const [message] = textsOf(request.messages);
  expect(message?.startsWith("START")).toBe(true);
  expect(message?.endsWith("END")).toBe(true);
  expect(message?.isWellFormed()).toBe(true);
  expect(countTokens(message ?? "")).toBeLessThanOrEqual(receipt.windowTokens - receipt.reserveTokens);
  expect(receipt.included[0]?.shortenedFromTokens).toBeGreaterThan(10_000);
});

test("parts set aside and notices never reach a model, and are accounted for", () => {
  const aside: Part = { ...textPart("m2", 1, "half", 1), aside: "cut" };
  const notice: Part = {
    id: "m2.2",
    v: 1,
    n: 2,
    step: 1,
    kind: "notice",
    level: "warning",
    code: "x",
    text: "a notice",
  };
  const { request, receipt } = run(
    snapshot([user(1, "q"), answer(2, [aside, notice, textPart("m2", 3, "whole", 1)]), user(3, "r")]),
  );
  expect(JSON.stringify(request)).not.toMatch(/half|a notice/);
  expect(receipt.leftOut).toMatchObject([{ reason: "set-aside", parts: ["m2/1"] }]);
});

/** What every provider demands: calls and results in pairs, a person's words first, no empty message. */
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

const arbitraryStep = fc.record({
  said: fc.string({ maxLength: 400 }),
  calls: fc.array(
    fc.record({
      output: fc.string({ maxLength: 3000 }),
      state: fc.constantFrom<ToolState>("ok", "error", "cancelled", "unknown", "running", "ready"),
    }),
    { maxLength: 3 },
  ),
});
const arbitraryThread = fc.array(
  fc.record({
    question: fc.string({ minLength: 1, maxLength: 3000 }),
    steps: fc.array(arbitraryStep, { maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 12 },
);

test("no thread, however it was left, gives a request that a provider would refuse", () => {
  let dropped = 0;
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
      const { request, receipt } = run(snapshot(messages, windowTokens));
      if (receipt.leftOut.some(({ reason }) => reason === "over-budget")) dropped += 1;
      expect(findFault(request.messages)).toBeUndefined();
      expect(
        textsOf(request.messages).some(
          (text) => text === turns.at(-1)?.question || text.includes("characters left out"),
        ),
      ).toBe(true);
      expect(run(snapshot(messages, windowTokens)).request).toEqual(request);
    }),
    { numRuns: process.env["STONECHAT_DEEP"] === "1" ? 10_000 : 500 },
  );
  expect(dropped).toBeGreaterThan(20);
});

test("the checker notices a request that is not valid (control)", () => {
  expect(
    findFault([
      { role: "user", text: "q" },
      { role: "assistant", parts: [{ kind: "tool-call", callId: "1", name: "x", input: {} }] },
    ]),
  ).toBe("a call and its result are apart");
});
