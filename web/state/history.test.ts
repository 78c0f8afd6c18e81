import { expect, test } from "vitest";
import type { MessageView } from "../../protocol/fold.ts";
import { addMessages, cutAfter, findMissing, noHistory, splitTail } from "./history.ts";

const message = (depth: number): MessageView => ({
  id: `m${depth}`,
  role: "user",
  branchId: "b",
  depth,
  runId: null,
  variants: [],
  createdAt: 0,
  parts: [],
});
const messages = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => message(from + n));
const span = (from: number, to: number) => ({ from, to });

test("loads the visible span first, then a page on each side", () => {
  let history = noHistory;
  const asked: string[] = [];
  for (let turn = 0; turn < 10; turn += 1) {
    const missing = findMissing(history, span(480, 520), 951);
    if (!missing) break;
    asked.push(`${missing.from}-${missing.to}`);
    history = addMessages(history, messages(missing.from, missing.to), span(480, 520));
  }
  expect(asked).toEqual(["471-520", "521-570", "421-470"]);
});

test("never loads the live end or depths before the first message", () => {
  expect(findMissing(noHistory, span(960, 990), 951)).toEqual(span(901, 950));
  expect(findMissing(noHistory, span(1, 20), 11)).toEqual(span(1, 10));
  expect(findMissing(noHistory, span(1, 20), 1)).toBeNull();
});

test("keeps a bounded number of messages near the viewport", () => {
  let history = noHistory;
  for (let top = 49_951; top > 45_000; top -= 50) {
    history = addMessages(history, messages(top, top + 49), span(top, top + 20));
    expect(history.messages.size).toBeLessThanOrEqual(500);
    expect(history.messages.has(top)).toBe(true);
  }
  expect(history.messages.has(49_951)).toBe(false);
});

test("keeps shared messages when the path changes", () => {
  const history = addMessages(noHistory, messages(1, 40), span(1, 40));
  expect([...cutAfter(history, 12).messages.keys()].at(-1)).toBe(12);
  expect(cutAfter(history, 40)).toBe(history);
});

test("moves messages of a long live end to the history", () => {
  const [gone, kept] = splitTail(messages(1, 301));
  expect([gone.length, kept.length, kept.at(-1)?.depth]).toEqual([151, 150, 301]);
  expect(splitTail(messages(1, 300))[0]).toEqual([]);
});
