import { expect, test } from "vitest";
import type { PromptMessage } from "../../protocol/model.ts";
import { countTokens } from "../../server/lib/tokens.ts";
import { toTurns } from "../threads/parts.ts";
import { bootstrap, createChance, splitThreads } from "./bootstrap.ts";
import { findEvidence, toText } from "./evidence.ts";
import { listUnfaithful } from "./faithful.ts";
import { countShared, sumTokens, toPieces } from "./pieces.ts";
import { costOf, floorOf, reuseShare, type Call } from "./prices.ts";
import { listNeeds } from "./provenance.ts";

const user = (text: string): PromptMessage => ({ role: "user", text });
const request = (system: string, ...messages: readonly PromptMessage[]) => toPieces([], { system, messages });
const call = (more: Partial<Call>): Call => ({
  turn: 0,
  input: 100,
  shared: 0,
  fresh: 10,
  aside: 0,
  isFirst: false,
  ...more,
});
const prices = { name: "", read: 0.1, write: 1.25 };

test("a request that continues another shares all of it", () => {
  const before = request("Be kind.", user("one"));
  expect(countShared(before, request("Be kind.", user("one"), user("two")))).toBe(sumTokens(before));
});

test("what two requests have in common ends at the first byte that differs", () => {
  const before = request("It is noon.", user("one"), user("two"));
  const after = request("It is late.", user("one"), user("two"));
  expect(countShared(before, after)).toBe(countTokens("[]") + countTokens("It is "));
});

test("a mark for a cache is no byte of the request", () => {
  const marked: PromptMessage = { role: "user", text: "one", breakpoint: true };
  expect(request("s", marked)).toEqual(request("s", user("one")));
});

test("a call costs its reads, its writes and what was spent aside", () => {
  expect(costOf([call({ shared: 60, aside: 7 })], prices)).toBeCloseTo(0.1 * 60 + 1.25 * 40 + 7);
});

test("the floor writes what is new and reads the rest", () => {
  expect(floorOf([call({ fresh: 10 })], prices)).toBeCloseTo(0.1 * 90 + 1.25 * 10);
});

test("reuse is measured against what could be reused, without the first call", () => {
  const perfect = [call({ isFirst: true, shared: 0 }), call({ shared: 90 }), call({ shared: 90 })];
  expect(reuseShare(perfect)).toBeCloseTo(1);
  expect(reuseShare([...perfect, call({ shared: 0 })])).toBeCloseTo(2 / 3);
});

test("evidence is found in words, arguments and results alike", () => {
  const text = toText({
    system: "s",
    messages: [
      user("tea at five"),
      { role: "assistant", parts: [{ kind: "tool-call", callId: "c", name: "look", input: { id: "AB123" } }] },
      { role: "tool", results: [{ callId: "c", name: "look", text: "open", failed: false }] },
    ],
  });
  expect(findEvidence(text, ["tea at five", "AB123", "open"])).toEqual({ any: true, all: true });
  expect(findEvidence(text, ["open", "closed"])).toEqual({ any: true, all: false });
  expect(findEvidence(text, ["closed"])).toEqual({ any: false, all: false });
});

test("an argument is needed from earlier turns when its own turn does not hold it", () => {
  const look = (id: string, input: object, output: string) =>
    ({ kind: "tool", callId: id, name: "look", input, output }) as const;
  const turns = toTurns("t", [
    { question: "Find me.", steps: [[look("1", { name: "ann" }, '{"user":"ann_1234","on":"2024-05-01"}')]] },
    {
      question: "And order 77777?",
      steps: [
        [look("2", { user: "ann_1234", order: "77777", on: "2024-05-01", no: "99" }, "XYZ99999")],
        [look("3", { id: "XYZ99999" }, "")],
      ],
    },
  ]);
  expect(listNeeds(turns)).toEqual([[], ["ann_1234"]]);
});

test("reports a number of a compaction summary that is not in its source, but not the summary's own numbering", () => {
  const head = '<context messages="1-8">\n\nm1-8: Order 4711 costs 30 EUR; address.line1 Elm\n\n</context>';
  expect(listUnfaithful(head, "Order 4711 costs 35 EUR, address, line1: Elm")).toEqual(["30"]);
});

test("a confidence interval contains its estimate, is deterministic, and has width 0 for equal threads", () => {
  const mean = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0) / list.length;
  const wide = bootstrap([1, 2, 3, 4, 5, 6, 7, 8], mean);
  expect(wide.low).toBeLessThan(wide.value);
  expect(wide.high).toBeGreaterThan(wide.value);
  expect(bootstrap([1, 2, 3, 4, 5, 6, 7, 8], mean)).toEqual(wide);
  expect(bootstrap([3, 3, 3], mean)).toEqual({ value: 3, low: 3, high: 3, n: 3 });
});

test("chance comes from its seed, and threads are split in two", () => {
  const [a, b] = [createChance(7), createChance(7)];
  expect([a(), a(), a()]).toEqual([b(), b(), b()]);
  expect(createChance(8)()).not.toBe(createChance(7)());
  expect(splitThreads([1, 2, 3])).toEqual({ tune: [1, 3], report: [2] });
});
