import { expect, test } from "vitest";
import { runWaiting } from "../store/contract.ts";
import { toRunRow, toRunState, type RunState } from "./state.ts";

const view: RunState["view"] = {
  id: "run",
  threadId: "thread",
  messageId: "answer",
  state: "running",
  step: 1,
  model: "scripted",
  outcome: null,
  reason: null,
  usage: { inputTokens: 0, outputTokens: 0 },
  costUsd: 0,
  startedAt: 1,
  endedAt: null,
} as never;
const call = { n: 1, callId: "c", name: "look" };
const common = { view, stepSeq: 1, ownerId: "ann", branchId: "b", depth: 2, model: "scripted", nextPart: 1 };
const counters = { used: { calls: 0, tokens: 0 }, countedFrom: 1, recoveries: 0 };
const summary = { id: "s", fromDepth: 1, toDepth: 2, text: "It began.", tokens: 3, changedAt: 4 };
const scope = { projectId: "p", focusId: null, mode: "" } as const;

/** As every version has stored it. */
const stored = {
  ...common,
  ...counters,
  place: scope,
  turnContext: { policy: "summary", chunks: [summary], olderChunks: 2, state: null },
  at: {
    kind: "tools",
    step: 1,
    calls: [
      { ...call, state: "waiting" },
      { ...call, n: 2, state: "asking", client: true },
      { ...call, n: 3, state: "started" },
      { ...call, n: 4, state: "ended" },
    ],
  },
};
const state: RunState = {
  ...common,
  ...counters,
  scope,
  turnContext: { policy: "summary", summaries: [summary], olderSummaries: 2, state: null },
  at: {
    kind: "tools",
    step: 1,
    calls: [
      { ...call, state: "ready" },
      { ...call, n: 2, state: "asking", client: true },
      { ...call, n: 3, state: "started" },
      { ...call, n: 4, state: "ended" },
    ],
  },
};
const toRow = (body: object) => ({
  ...toRunRow(state),
  body: JSON.stringify(body),
  stop: 0,
  waiting: runWaiting.no,
  handed_over: 0,
});

test("reads the stored names of a run's state, and stores the same names again", () => {
  expect(toRunState(toRow(stored))).toEqual(state);
  expect(JSON.parse(toRunRow(state).body)).toEqual(stored);
});

test("reads a state without scope, turn context or tool calls unchanged", () => {
  const plain = { ...common, ...counters, at: { kind: "ready", step: 1, tries: [], model: "scripted", notBefore: 0 } };
  expect(toRunState(toRow(plain))).toEqual(plain);
  expect(JSON.parse(toRunRow(toRunState(toRow(plain))).body)).toEqual(plain);
});

test("reads the flag that versions before 0.2 stored for untrusted prompts as a source", () => {
  expect(toRunState(toRow({ ...stored, tainted: true })).untrusted).toHaveLength(1);
  expect(toRunState(toRow({ ...stored, tainted: true, untrusted: ["the tool look"] })).untrusted).toEqual([
    "the tool look",
  ]);
});
