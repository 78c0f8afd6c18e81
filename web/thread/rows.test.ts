import { expect, test } from "vitest";
import type { CompactionView } from "../../protocol/context/context.ts";
import { emptyThreadView, type MessageView, type ThreadView } from "../../protocol/fold.ts";
import { noUsage, type RunView } from "../../protocol/run.ts";
import type { Outgoing } from "../state/outbox.ts";
import { addMessages, noHistory } from "../state/history.ts";
import { groupCompactions, toRows, type Rows } from "./rows.ts";

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
const rowsOf = (
  view: Partial<ThreadView>,
  more: Partial<Parameters<typeof toRows>[0]> = {},
): ReturnType<typeof toRows> =>
  toRows({ view: { ...emptyThreadView, ...view }, history: noHistory, unsent: [], compactions: new Map(), ...more });
const show = ({ count, at }: Rows) =>
  Array.from({ length: count }, (_, index) => at(index)).map((row) => `${row?.kind} ${row?.key}`);

test("shows a run without a message where its message will be", () => {
  expect(show(rowsOf({ messages: [toMessage("q", 1)], run }))).toEqual(["message q", "run answer"]);
  const after = rowsOf({ messages: [toMessage("q", 1), toMessage("answer", 2)], run });
  expect(show(after)).toEqual(["message q", "message answer"]);
  expect(after.at(1)).toMatchObject({ run });
});

test("shows no row for an ended run of another branch", () => {
  const messages = [toMessage("q", 1)];
  const ended = { ...run, state: "ended" } as const;
  expect(show(rowsOf({ messages, run: { ...ended, outcome: "failed" } }))).toEqual(["message q"]);
  expect(show(rowsOf({ messages, run: { ...ended, outcome: "done" } }))).toEqual(["message q"]);
});

test("puts unsent messages last", () => {
  expect(show(rowsOf({ messages: [toMessage("q", 1)] }, { unsent: [unsent] }))).toEqual(["message q", "unsent u"]);
  expect(show(rowsOf({ messages: [toMessage("q", 1)], run }, { unsent: [unsent] })).at(-1)).toBe("unsent u");
});

test("has a row for every depth, loaded or not, and fills older ones from history", () => {
  const history = addMessages(noHistory, [toMessage("m2", 2)], { from: 1, to: 3 });
  const rows = rowsOf({ messages: [toMessage("m4", 4), toMessage("m5", 5)] }, { history });
  expect(show(rows)).toEqual(["waiting 1", "message m2", "waiting 3", "message m4", "message m5"]);
  expect(rows.at(5)).toBeUndefined();
});

test("ends at the shared part of the path after switching to a fork", () => {
  const history = addMessages(noHistory, [toMessage("m2", 2)], { from: 1, to: 3 });
  expect(show(rowsOf({ messages: [] }, { history }))).toEqual(["waiting 1", "message m2"]);
});

test("puts a compaction before the message it was made with", () => {
  const toEpoch = (id: string, messageId: string): CompactionView => ({
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
  const compactions = groupCompactions([toEpoch("e2", "a"), toEpoch("e1", "long-ago")]);
  const rows = rowsOf({ messages: [toMessage("q", 1), toMessage("a", 2)] }, { compactions });
  expect(rows.at(0)).toMatchObject({ compactions: [] });
  expect(rows.at(1)).toMatchObject({ compactions: [{ id: "e2" }] });
});
