import { expect, onTestFinished, test } from "vitest";
import { noUsage, type RunView } from "../../protocol/run.ts";
import { setLanguage } from "../strings/language.ts";
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
  [toRun(0, true), "kimi-k2 · about 1,200 tokens in · 34 out"],
  [{ ...toRun(0, true), model: "offline/stone" }, "Demo model · about 1,200 tokens in · 34 out"],
  [toRun(null), "kimi-k2 · 1,200 in · 34 out · price unknown"],
])("%# describes tokens and price", (run, words) => {
  expect(describeCost(run)).toBe(words);
});

test("from right to left, Latin names do not reorder the line", () => {
  setLanguage("ar", "ar", {});
  onTestFinished(() => setLanguage("en", "en", {}));
  expect(describeCost(toRun(1.5))).toMatch(/^\u2068kimi-k2\u2069 · \u2068.*34.*\u2069 · \u2068\$1\.50\u2069$/);
});
