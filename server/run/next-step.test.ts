import { expect, test } from "vitest";
import { noUsage } from "../../protocol/run.ts";
import type { Limits } from "./limits.ts";
import { nextStep, type StepInput } from "./next-step.ts";
import type { RunPoint, RunState } from "./state.ts";

const limits: Limits = { steps: 10, calls: 40, tokens: 1000, costUsd: 1, perTool: {}, wallMs: 60_000 };
const situation: StepInput = { stop: false, steering: 0, limits, now: 1000, steadyNow: 1000 };
const ready = (step = 1): RunPoint => ({ kind: "ready", step, tries: [], model: "m", notBefore: 0 });
const state = (at: RunPoint, more: Partial<RunState> = {}): RunState => ({
  view: {
    id: "r",
    threadId: "t",
    messageId: "m",
    state: "running",
    outcome: null,
    reason: null,
    step: 1,
    model: "m",
    usage: noUsage,
    costUsd: 0,
    startedAt: 0,
    endedAt: null,
  },
  stepSeq: 0,
  ownerId: "u",
  branchId: "b",
  depth: 2,
  model: "m",
  nextPart: 0,
  used: { calls: 0, tokens: 0 },
  countedFrom: 0,
  recoveries: 0,
  at,
  ...more,
});

test("a ready run calls the model, a run with tool calls runs them, an ended run does nothing", () => {
  expect(nextStep(state(ready()), situation)).toEqual({ do: "call-model", finalEnding: null });
  expect(
    nextStep(state({ kind: "tools", step: 1, calls: [{ n: 1, callId: "c", name: "x", state: "ready" }] }), situation),
  ).toEqual({ do: "call-tools" });
  expect(nextStep(state({ kind: "ended" }), { ...situation, stop: true })).toEqual({ do: "nothing" });
});

test("a stop takes precedence over everything else", () => {
  for (const at of [ready(), { kind: "tools", step: 1, calls: [] } as const]) {
    expect(nextStep(state(at), { ...situation, stop: true, steering: 1 })).toEqual({
      do: "end",
      ending: { outcome: "stopped", reason: null },
    });
  }
});

test("a run waits until its next attempt is due", () => {
  expect(nextStep(state({ ...ready(), notBefore: 1500 } as RunPoint), situation)).toEqual({ do: "wait", ms: 500 });
  const setBack = { ...ready(), notBefore: 3_600_000, delayMs: 500 } as RunPoint;
  expect(nextStep(state(setBack), situation)).toEqual({ do: "wait", ms: 500 });
});

test("steering messages are delivered between steps, not before the first", () => {
  expect(nextStep(state(ready(1)), { ...situation, steering: 1 }).do).toBe("call-model");
  expect(nextStep(state(ready(2)), { ...situation, steering: 1 }).do).toBe("deliver-steering");
});

test.each([
  ["limit-steps", state(ready(11))],
  ["limit-calls", state(ready(2), { used: { calls: 40, tokens: 0 } })],
  ["limit-tokens", state(ready(2), { used: { calls: 0, tokens: 1000 } })],
  ["limit-money", state(ready(2), { view: { ...state(ready()).view, costUsd: 1 } })],
  ["limit-time", state(ready(2), { countedFrom: -60_000 })],
])("at %s the model is asked once more, without tools", (code, at) => {
  expect(nextStep(at, situation)).toMatchObject({
    do: "call-model",
    finalEnding: { outcome: "limit", reason: { code } },
  });
});

test("the time limit holds when the wall clock is set back", () => {
  const setBack = { ...situation, now: 0, steadyNow: 61_000 };
  expect(nextStep(state(ready(2)), setBack)).toMatchObject({ finalEnding: { reason: { code: "limit-time" } } });
});

test("an unknown cost never ends a run at the cost limit", () => {
  const unpriced = state(ready(2), { view: { ...state(ready()).view, costUsd: null } });
  expect(nextStep(unpriced, situation)).toEqual({ do: "call-model", finalEnding: null });
});

test("throws while a model call is open", () => {
  const at: RunPoint = { kind: "calling", step: 1, tries: [], callId: "c", model: "m", promptTokens: 1 };
  expect(() => nextStep(state(at), situation)).toThrow(/Settle or supersede it first/);
});
