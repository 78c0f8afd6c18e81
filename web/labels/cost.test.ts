import { expect, test } from "vitest";
import { noUsage, type RunView } from "../../protocol/run.ts";
import { describeCost } from "./cost.ts";

const toRun = (costUsd: number | null, estimated = false): RunView => ({
  id: "r",
  threadId: "t",
  messageId: "m",
  state: "ended",
  outcome: "done",
  reason: null,
  step: 1,
  model: "openrouter/moonshotai/kimi-k2",
  usage: { ...noUsage, inputTokens: 1200, outputTokens: 34, estimated },
  costUsd,
  startedAt: 0,
  endedAt: 1,
});

test.each([
  [toRun(0.00213), "kimi-k2 · 1,200 in · 34 out · $0.0021"],
  [toRun(1.5), "kimi-k2 · 1,200 in · 34 out · $1.50"],
  [toRun(0.00000001), "kimi-k2 · 1,200 in · 34 out · < $0.0001"],
  [toRun(0, true), "kimi-k2 · about 1,200 in · 34 out"],
  [toRun(null), "kimi-k2 · 1,200 in · 34 out · price unknown"],
])("%# describes tokens and price", (run, words) => {
  expect(describeCost(run)).toBe(words);
});
