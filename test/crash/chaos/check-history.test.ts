import { describe, expect, test } from "vitest";
import type { ThreadEvent, MessageHead, QueuedInput } from "../../../protocol/events.ts";
import { applyEvent, emptyThreadView } from "../../../protocol/fold.ts";
import type { Part } from "../../../protocol/parts.ts";
import { noUsage, type RunView } from "../../../protocol/run.ts";
import { checkHistory } from "./check-history.ts";
import type { Findings, History } from "./history.ts";

/** A correct history, damaged in one way at a time. The check must report exactly that damage. */
const text = 'say 2 words then call effect_once {"token":"t"} then say 1 word';
const run: RunView = {
  id: "r",
  threadId: "th",
  messageId: "a",
  state: "running",
  outcome: null,
  reason: null,
  step: 1,
  model: "scripted/script",
  usage: noUsage,
  costUsd: 0,
  startedAt: 1,
  endedAt: null,
};
const ended: RunView = { ...run, state: "ended", outcome: "done", endedAt: 2 };
const head = (id: string, depth: number): MessageHead => ({
  id,
  role: depth % 2 ? "user" : "assistant",
  branchId: "b",
  depth,
  runId: depth % 2 ? null : "r",
  variants: [id],
  createdAt: 1,
});
const words = (n: number, said: string, more: Partial<Part> = {}): Part =>
  ({ id: `a.${n}`, v: 1, n, step: 1, kind: "text", state: "done", text: said, ...more }) as Part;
const call = (state: "running" | "ok"): Part => ({
  ...{ id: "a.2", v: 1, n: 2, step: 1, kind: "tool", callId: "c", name: "effect_once", state },
  input: { token: "t" },
});
const delta = (said: string): ThreadEvent => ({
  ...{ type: "text-delta", messageId: "a", partId: "a.1", kind: "text", n: 1, step: 1 },
  text: said,
});
const settled = (messageId: string, part: Part): ThreadEvent => ({ type: "part-settled", messageId, part });

const events: readonly (readonly [number, ThreadEvent])[] = [
  [1, { type: "message-added", message: head("q", 1) }],
  [2, settled("q", { id: "q.0", v: 1, n: 0, step: 0, kind: "text", state: "done", text })],
  [3, { type: "message-added", message: head("a", 2) }],
  [4, { type: "run-started", run }],
  [7, settled("a", words(1, "w1 w2"))],
  [9, settled("a", call("ok"))],
  [10, settled("a", words(3, "w1"))],
  [11, { type: "run-ended", run: ended }],
];
const passing: readonly (readonly [number, ThreadEvent])[] = [
  [5, delta("w1")],
  [8, settled("a", call("running"))],
];

type Rows = readonly (readonly [number, ThreadEvent])[];
type Parts = { log?: Rows; received?: Rows } & Partial<Omit<History, "threads">> & {
    shown?: Rows;
    queue?: string[];
    inputs?: string[];
  };

function toHistory({ log = events, received = [...events, ...passing], shown = log, ...more }: Parts): History {
  const toRows = (rows: Rows) =>
    rows.toSorted(([a], [b]) => a - b).map(([seq, event]) => ({ seq, body: JSON.stringify(event) }));
  const view = shown
    .toSorted(([a], [b]) => a - b)
    .reduce((next, [seq, event]) => applyEvent(next, seq, event), emptyThreadView);
  const queue = (more.queue ?? []).map(toInput);
  const snapshot = { messages: view.messages, run: view.run, queue };
  const thread = { threadId: "th", log: toRows(log), received: toRows(received), snapshot };
  return {
    acts: [{ threadId: "th", id: "q", kind: "message", text, state: "acknowledged" }],
    effects: [{ tool: "effect_once", token: "t", key: "k", pid: 1 }],
    ownRows: new Map(),
    ...more,
    threads: [{ ...thread, inputs: new Set(more.inputs ?? ["q"]) }],
  };
}

function toInput(id: string): QueuedInput {
  return { id, kind: "message", mode: "queue", text, createdAt: 1 };
}

const without = (...seqs: number[]): Rows => events.filter(([seq]) => !seqs.includes(seq));
const effect = toHistory({}).effects[0]!;

const damages: Readonly<Record<string, { kind: keyof Findings; parts: Parts }>> = {
  "an acknowledged message is gone": { kind: "lost", parts: { log: [], received: [], effects: [], inputs: [] } },
  "an admitted message never reached the thread": { kind: "lost", parts: { log: [], received: [], effects: [] } },
  "an event that was shown is gone": {
    kind: "lost",
    parts: { received: [...events, [6, { type: "run-stepped", run }]] },
  },
  "text that was shown is gone": {
    kind: "lost",
    parts: { received: [...events, [5, { ...delta("x"), partId: "a.9" } as ThreadEvent]] },
  },
  "an answer lacks its second part": { kind: "lost", parts: { log: without(10), received: without(10) } },
  "a call reported as done was not executed": { kind: "lost", parts: { effects: [] } },
  "a message is duplicated": {
    kind: "doubled",
    parts: { log: [...events, [12, { type: "message-added", message: head("q", 1) }]] },
  },
  "an event was given twice": { kind: "doubled", parts: { received: [...events, ...passing, [5, delta("")]] } },
  "an answer contains a text twice": {
    kind: "doubled",
    parts: { log: [...events, [6, settled("a", words(4, "w1"))]], received: [] },
  },
  "an effect of a once tool happened twice": { kind: "doubled", parts: { effects: [effect, effect] } },
  "a run ended twice": { kind: "doubled", parts: { log: [...events, [12, { type: "run-ended", run: ended }]] } },
  "a run has not ended": { kind: "stuck", parts: { log: without(11), received: [] } },
  "a message still waits": {
    kind: "stuck",
    parts: { log: [...events, [12, { type: "input-queued", input: toInput("w") }]], queue: ["w"] },
  },
  "an event differs from what was shown": {
    kind: "contradicted",
    parts: { received: [...without(10), ...passing, [10, settled("a", words(3, "w9"))]] },
  },
  "a part started differently when it was shown": {
    kind: "contradicted",
    parts: { received: [...events, [5, delta("w2")]] },
  },
  "an event is written after the end of its run": {
    kind: "contradicted",
    parts: { log: [...events, [12, settled("a", words(5, "", { kind: "notice" } as Partial<Part>))]] },
  },
  "a loaded thread differs from its log": { kind: "contradicted", parts: { shown: without(10) } },
  "a run failed": {
    kind: "contradicted",
    parts: { log: [...without(11), [11, { type: "run-ended", run: { ...ended, outcome: "failed" } }]], received: [] },
  },
};

const count = (findings: Findings) =>
  Object.fromEntries(Object.entries(findings).map(([kind, all]) => [kind, all.length]));

describe("checkHistory", () => {
  test("finds nothing in a correct history", () => {
    expect(checkHistory(toHistory({}))).toEqual({ lost: [], doubled: [], stuck: [], contradicted: [] });
  });

  test.each(Object.entries(damages))("finds that %s", (_, { kind, parts }) => {
    expect(count(checkHistory(toHistory(parts)))).toEqual({
      lost: 0,
      doubled: 0,
      stuck: 0,
      contradicted: 0,
      [kind]: 1,
    });
  });
});
