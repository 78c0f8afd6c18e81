import { expect, test } from "vitest";
import type { ThreadEvent } from "./events.ts";
import { applyEvent, describeEnd, emptyThreadView, findAnswer, isActive, joinTexts, textOf } from "./fold.ts";
import type { ThreadView } from "./fold.ts";
import type { Part } from "./parts.ts";

/** Only what the fold reads. */
const event = (given: object): ThreadEvent => given as ThreadEvent;
const after = (...events: readonly object[]): ThreadView =>
  events.reduce<ThreadView>((view, given, index) => applyEvent(view, index + 1, event(given)), emptyThreadView);
const added = (id: string, depth: number, role = "user") => ({ type: "message-added", message: { id, depth, role } });
const queued = (id: string) => ({ type: "input-queued", input: { id } });
const delta = (partId: string, text: string, more: object = {}) => ({
  ...{ type: "text-delta", messageId: "a", partId, n: 1, step: 1, kind: "text", text },
  ...more,
});
const input = (partId: string, text: string, n = 1) => ({
  ...{ type: "tool-input-delta", messageId: "a", partId, n, step: 1, callId: "c", name: "t", text },
});
const idsOf = ({ messages }: ThreadView) => messages.map(({ id }) => id);
const partsOf = ({ messages }: ThreadView) => messages[0]?.parts ?? [];
const run = (more: object) => ({
  type: "run-started",
  run: { messageId: "a", state: "running", outcome: null, ...more },
});

test("a view begins empty, and is neither stale nor deleted", () => {
  expect(after()).toEqual({ seq: 0, thread: null, messages: [], queue: [], run: null, stale: false, deleted: false });
});

test("a thread is created, changed in the given fields, and deleted", () => {
  const created = { type: "thread-created", thread: { id: "t", title: "A", model: "m" } };
  const changed = { type: "thread-changed", patch: { title: "B", model: undefined } };
  expect(after(created, changed).thread).toEqual({ id: "t", title: "B", model: "m" });
  expect(after(changed).thread).toBeNull();
  expect(after(created, added("a", 1), { type: "thread-deleted" })).toEqual({
    ...emptyThreadView,
    deleted: true,
    seq: 3,
  });
});

test("an input is queued once, and leaves the queue when it is withdrawn or becomes a message", () => {
  const queueOf = (...events: readonly object[]) => after(...events).queue.map(({ id }) => id);
  expect(queueOf(queued("a"), queued("b"), queued("a"))).toEqual(["b", "a"]);
  expect(queueOf(queued("a"), queued("b"), { type: "input-withdrawn", inputId: "a" })).toEqual(["b"]);
  expect(queueOf(queued("a"), queued("b"), added("b", 1))).toEqual(["a"]);
  const view = after(queued("a"));
  expect(applyEvent(view, 9, event({ type: "input-withdrawn", inputId: "x" })).queue).toBe(view.queue);
});

test("a message replaces all at its depth or deeper, and keeps its parts when it is added again", () => {
  expect(idsOf(after(added("a", 1), added("b", 2), added("c", 3), added("d", 2)))).toEqual(["a", "d"]);
  const twice = after(added("a", 1), delta("p", "Hi"), added("a", 1, "assistant"));
  expect(twice.messages).toMatchObject([{ id: "a", role: "assistant", parts: [{ id: "p", text: "Hi" }] }]);
});

test("activating a branch keeps the messages up to its fork, and a view that must be loaded again stays stale", () => {
  const all = [added("a", 1), added("b", 2), added("c", 3)];
  const activated = (forkDepth: number, reload: boolean) => ({ type: "branch-activated", forkDepth, reload });
  expect(idsOf(after(...all, activated(2, false)))).toEqual(["a", "b"]);
  expect(after(...all, activated(2, false)).stale).toBe(false);
  expect(after(...all, activated(2, true)).stale).toBe(true);
  expect(after(...all, activated(2, true), activated(1, false)).stale).toBe(true);
});

test("deltas build parts in the order of their positions, and nothing is added to a settled part or another kind", () => {
  const begun = after(added("a", 1), delta("q", "second", { n: 2 }), delta("p", "Fi"), delta("p", "rst"));
  expect(partsOf(begun)).toEqual([
    { id: "p", v: 1, n: 1, step: 1, state: "streaming", kind: "text", text: "First" },
    { id: "q", v: 1, n: 2, step: 1, state: "streaming", kind: "text", text: "second" },
  ]);
  const settled = {
    type: "part-settled",
    messageId: "a",
    part: { id: "p", n: 1, kind: "text", state: "done", text: "X" },
  };
  const ended = applyEvent(begun, 9, event(settled));
  expect(partsOf(ended).map((part) => "text" in part && part.text)).toEqual(["X", "second"]);
  expect(applyEvent(ended, 10, event(delta("p", "more"))).messages).toBe(ended.messages);
  expect(applyEvent(begun, 9, event(delta("p", "x", { kind: "reasoning" }))).messages).toBe(begun.messages);
  expect(applyEvent(begun, 9, event(delta("p", "x", { messageId: "unknown" }))).messages).toBe(begun.messages);
  expect(partsOf(after(added("a", 1), delta("p", "x", { joined: true })))).toMatchObject([{ joined: true }]);
  const thought = partsOf(after(added("a", 1), delta("p", "x", { kind: "reasoning", joined: true })))[0];
  expect(thought).toMatchObject({ kind: "reasoning" });
  expect(thought).not.toHaveProperty("joined");
});

test("arguments of a tool call are collected until the call is settled", () => {
  const begun = after(added("a", 1), input("p", '{"q":'), input("p", "1}"));
  expect(partsOf(begun)).toEqual([
    {
      id: "p",
      v: 1,
      n: 1,
      step: 1,
      kind: "tool",
      callId: "c",
      name: "t",
      state: "input-streaming",
      inputText: '{"q":1}',
    },
  ]);
  const settled = { type: "part-settled", messageId: "a", part: { id: "p", n: 1, kind: "tool", state: "done" } };
  const ended = applyEvent(begun, 9, event(settled));
  expect(applyEvent(ended, 10, event(input("p", "more"))).messages).toBe(ended.messages);
  const text = after(added("a", 1), delta("p", "x"));
  expect(applyEvent(text, 9, event(input("p", "more"))).messages).toBe(text.messages);
  const bare = {
    type: "part-settled",
    messageId: "a",
    part: { id: "p", n: 1, kind: "tool", state: "input-streaming" },
  };
  expect(partsOf(after(added("a", 1), bare, input("p", "x")))).toMatchObject([{ inputText: "x" }]);
});

test("the end of a run is marked at its message, and the mark goes when the run continues", () => {
  const reason = { code: "limit", text: "Too much." };
  const failed = { type: "run-ended", run: { messageId: "a", state: "ended", outcome: "failed", reason } };
  const view = after(added("a", 1), added("b", 2), run({}), failed);
  expect(view.run).toMatchObject({ outcome: "failed" });
  expect(view.messages).toMatchObject([{ id: "a", endedEarly: { outcome: "failed", reason } }, { id: "b" }]);
  expect(view.messages[1]).not.toHaveProperty("endedEarly");
  const again = applyEvent(view, 9, event(run({})));
  expect(again.messages[0]).not.toHaveProperty("endedEarly");
  const done = { type: "run-ended", run: { messageId: "a", state: "ended", outcome: "done", reason: null } };
  expect(applyEvent(again, 10, event(done)).messages).toBe(again.messages);
  expect(after(failed)).toMatchObject({ messages: [], run: { outcome: "failed" } });
});

test("an event that was seen, or that this version does not know, changes nothing", () => {
  const view = after(added("a", 1), added("b", 2));
  expect(applyEvent(view, 2, event(added("c", 3)))).toBe(view);
  expect(applyEvent(view, 1, event(added("c", 3)))).toBe(view);
  for (const type of ["of-a-newer-server", "constructor"]) {
    expect(applyEvent(view, 3, event({ type }))).toEqual({ ...view, seq: 3 });
  }
});

test("the answer to a question is the next one of the assistant", () => {
  const { messages } = after(added("q", 1), added("s", 2), added("x", 3, "assistant"), added("y", 4, "assistant"));
  const answerTo = (id: string) => findAnswer(messages, id)?.id;
  expect([answerTo("q"), answerTo("s"), answerTo("x"), answerTo("y"), answerTo("none")]).toEqual([
    ...["x", "x", "y", undefined, undefined],
  ]);
});

test("a run is active while it runs or waits, and its end is one line", () => {
  const states = (["running", "waiting", "ended", "parked"] as const).map((state) => isActive({ state } as never));
  expect(states).toEqual([true, true, false, false]);
  expect([isActive(null), isActive(undefined)]).toEqual([false, false]);
  const reason = { code: "x", text: "The limit is reached. Choose Continue to go on." } as never;
  expect(describeEnd({ outcome: "failed", reason } as never)).toBe(
    "Failed: The limit is reached. Choose Continue to go on.",
  );
  expect(describeEnd({ outcome: "failed", reason: null } as never)).toBe("Failed.");
  expect(describeEnd({ outcome: "stopped", reason } as never)).toBe("Stopped.");
  expect(describeEnd({ outcome: "limited", reason } as never)).toBe("The limit is reached.");
  expect(describeEnd({ outcome: "limited", reason: null } as never)).toBe("Ended at a limit.");
});

test("texts are joined where an interrupted text continued, and apart otherwise", () => {
  const text = (words: string, more: object = {}) => ({ kind: "text", text: words, state: "done", ...more }) as Part;
  const tool = { kind: "tool" } as Part;
  const parts = [
    text("One "),
    tool,
    text("two", { joined: true, state: "cut" }),
    text("gone", { aside: "x" }),
    text("three"),
  ];
  expect(textOf(parts)).toBe("One two\n\nthree");
  expect(textOf([text("a", { joined: true }), text("b")])).toBe("a\n\nb");
  expect(joinTexts(parts)).toEqual([text("One two", { state: "cut" }), tool, parts[3], text("three")]);
  const apart = [text("a"), text("b"), text("c", { joined: true, aside: "x" })];
  expect(joinTexts(apart)).toBe(apart);
  expect(joinTexts([tool, text("a", { joined: true })])).toEqual([tool, text("a", { joined: true })]);
});
