import { expect, test } from "vitest";
import { answer, run, snapshot, textPart, user, withWindow } from "../../test/support/context/conversation.ts";
import { listGaps, splitByCover } from "./cover.ts";

const long = "The tide tables were read aloud once more. ".repeat(60);
const messages = Array.from({ length: 12 }, (_, index) =>
  index % 2 ? answer(index + 1, [textPart(`m${index + 1}`, 0, long, 1)]) : user(index + 1, `${index + 1} ${long}`),
);

test("a range is split where other texts cover it, and every message is counted once", () => {
  const covers = [
    { by: "a", ranges: [[1, 4]] as const },
    { by: "b", ranges: [[3, 6]] as const },
  ];
  const pieces = splitByCover([1, 9], "before-the-cut", covers);
  expect(pieces.map(({ fromDepth, toDepth, coveredBy }) => [fromDepth, toDepth, coveredBy])).toEqual([
    [1, 2, ["a"]],
    [3, 4, ["a", "b"]],
    [5, 6, ["b"]],
    [7, 9, []],
  ]);
  expect(pieces.reduce((sum, piece) => sum + piece.messages, 0)).toBe(9);
});

test("gaps are the depths in no range", () => {
  expect(
    listGaps(
      [
        [4, 6],
        [1, 2],
        [6, 7],
      ],
      10,
    ),
  ).toEqual([
    [3, 3],
    [8, 10],
  ]);
});

test("messages missing from a compaction are named as not included, also in the receipt", () => {
  const late = messages.map((message) => ({ ...message, depth: message.depth + 100, id: `m${message.depth + 100}` }));
  const { request, receipt } = run(snapshot(late, withWindow(4_000)));
  const [head] = request.messages;
  expect(head).toMatchObject({ text: expect.stringContaining("Not included: messages 1-100.") });
  expect(receipt.leftOut[0]).toMatchObject({ fromDepth: 1, toDepth: 100, coveredBy: [], why: "before-the-cut" });
});

test("a failed answer without text leaves no gap", () => {
  const failed = messages.with(1, answer(2, []));
  const { request } = run(snapshot(failed, withWindow(4_000)));
  expect(JSON.stringify(request.messages[0])).not.toContain("Not included");
});

test("a compaction stored by 0.1.0, without coverage per text, is listed as one range", () => {
  const { compaction, receipt } = run(snapshot(messages, withWindow(4_000)));
  const items = compaction!.state.items.map(({ covers: _, ...item }) => item);
  const old = { id: receipt.epoch.id!, model: "m", ...compaction!, state: { ...compaction!.state, items } };
  const since = messages.filter(({ depth }) => depth > old.depth);
  const next = run(snapshot(since, { ...withWindow(4_000), compaction: old }));
  expect(next.receipt.leftOut[0]).toMatchObject({
    fromDepth: 1,
    toDepth: old.depth,
    messages: old.depth,
    coveredBy: ["extract"],
  });
});
