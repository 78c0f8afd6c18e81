import { expect, test } from "vitest";
import type { SummaryView } from "../../protocol/context/summary.ts";
import { cleanFields, describePrice, describeSaving, sortSummaries, toRange } from "./describe-summary.ts";

const summary: SummaryView = {
  id: "s",
  fromDepth: 1,
  toDepth: 1_024,
  fromMessageId: "a",
  toMessageId: "b",
  messageCount: 1_024,
  level: 0,
  status: "completed",
  trigger: "auto",
  fields: null,
  sourceTokens: 3_000,
  summaryTokens: 300,
  costUsd: 0.0004,
  model: "a/model",
  tainted: false,
  edited: false,
  mergedInto: null,
  error: null,
  createdAt: 1,
  updatedAt: 1,
};

test("describes range, saved tokens and price", () => {
  expect(toRange(summary)).toBe("Messages 1 to 1,024");
  expect(toRange({ ...summary, toDepth: 1 })).toBe("Message 1");
  expect(describeSaving(summary)).toBe("From 3,000 to 300 tokens (90% fewer)");
  expect(describeSaving({ ...summary, sourceTokens: 200 })).toBe("From 200 to 300 tokens");
  expect(describePrice(summary)).toBe("$0.0004");
  expect(describePrice({ ...summary, costUsd: null })).toBe("price unknown");
  expect(describePrice({ ...summary, costUsd: 0 })).toBe("free");
  expect(describePrice({ ...summary, costUsd: null, model: null })).toBe("no model, no cost");
});

test("sorts newest first and drops merged summaries", () => {
  const list = [
    { ...summary, id: "old", createdAt: 1 },
    { ...summary, id: "merged", createdAt: 3, mergedInto: "new" },
    { ...summary, id: "new", createdAt: 2 },
  ];
  expect(sortSummaries(list).map(({ id }) => id)).toEqual(["new", "old"]);
});

test("drops empty fields", () => {
  expect(
    cleanFields({
      overview: " It went well. ",
      keyPoints: ["one", "  "],
      decisions: [],
      actionItems: [
        { text: " call ", context: " soon " },
        { text: "", context: "lost" },
      ],
      openQuestions: [" why? "],
      toolResults: [{ toolName: "t", summary: "", importance: "low" }],
    }),
  ).toEqual({
    overview: "It went well.",
    keyPoints: ["one"],
    decisions: [],
    actionItems: [{ text: "call", context: "soon" }],
    openQuestions: ["why?"],
    toolResults: [],
  });
});
