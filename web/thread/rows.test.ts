import { expect, test } from "vitest";
import type { EpochView } from "../../protocol/context/context.ts";
import { emptyThreadView, type MessageView } from "../../protocol/fold.ts";
import { noUsage, type RunView } from "../../protocol/run.ts";
import type { Outgoing } from "../state/outbox.ts";
import { toRows } from "./rows.ts";

const toMessage = (id: string, depth: number): MessageView => ({
  id,
  role: depth % 2 === 1 ? "user" : "assistant",
  branchId: "b",
  depth,
  runId: null,
  variants: [id],
  createdAt: 0,
  parts: [],
});
const run: RunView = {
  id: "r",
  threadId: "t",
  messageId: "answer",
  state: "running",
  outcome: null,
  reason: null,
  step: 1,
  model: "m",
  usage: noUsage,
  costUsd: null,
  startedAt: 0,
  endedAt: null,
};
const unsent: Outgoing = { id: "u", threadId: "t", text: "x", mode: "queue", create: null, state: { name: "sending" } };
const show = (rows: ReturnType<typeof toRows>) => rows.map(({ kind, key }) => `${kind} ${key}`);

test("a run that has not written yet has a row that its message takes over", () => {
  const before = toRows({ ...emptyThreadView, messages: [toMessage("q", 1)], run }, []);
  expect(show(before)).toEqual(["message q", "run answer"]);
  const after = toRows({ ...emptyThreadView, messages: [toMessage("q", 1), toMessage("answer", 2)], run }, []);
  expect(show(after)).toEqual(["message q", "message answer"]);
  expect(after[1]).toMatchObject({ run });
});

test("a run that failed before it wrote keeps its row, one that is done does not", () => {
  const view = { ...emptyThreadView, messages: [toMessage("q", 1)] };
  const ended = { ...run, state: "ended" } as const;
  expect(show(toRows({ ...view, run: { ...ended, outcome: "failed" } }, []))).toEqual(["message q", "run answer"]);
  expect(show(toRows({ ...view, run: { ...ended, outcome: "done" } }, []))).toEqual(["message q"]);
});

test("what is not sent yet stands last", () => {
  expect(show(toRows({ ...emptyThreadView, messages: [toMessage("q", 1)] }, [unsent]))).toEqual([
    "message q",
    "unsent u",
  ]);
});

test("a cut stands ahead of the message with which it was made, and nowhere when that is not here", () => {
  const toEpoch = (id: string, messageId: string): EpochView => ({
    id,
    depth: 2,
    messageId,
    reason: "full",
    tokensBefore: 9,
    tokensAfter: 3,
    head: "",
    undone: false,
    createdAt: 0,
  });
  const view = { ...emptyThreadView, messages: [toMessage("q", 3), toMessage("a", 4)] };
  expect(show(toRows(view, [], [toEpoch("e2", "a"), toEpoch("e1", "long-ago")]))).toEqual([
    "message q",
    "epoch e2",
    "message a",
  ]);
});
