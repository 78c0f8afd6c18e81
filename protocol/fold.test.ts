import fc from "../test/support/fast-check.ts";
import { expect, test } from "vitest";
import type { ThreadEvent } from "./events.ts";
import { applyEvent, emptyThreadView, type ThreadView } from "./fold.ts";
import type { Part } from "./parts.ts";
import { noUsage } from "./run.ts";

/** 100,000 with `npm run test:deep`. */
const RUNS = process.env["STONECHAT_DEEP"] === "1" ? 100_000 : 5_000;

const id = fc.constantFrom("a", "b", "c");
const text = fc.string({ maxLength: 6, unit: "grapheme" });
const placed = { id: fc.constantFrom("a.0", "a.1", "b.0"), n: fc.nat(3), step: fc.nat(2) };
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({
    ...placed,
    v: fc.constant(1 as const),
    kind: fc.constant("text" as const),
    state: fc.constantFrom("done" as const, "cut" as const),
    text,
  }),
  fc.record({
    ...placed,
    v: fc.constant(1 as const),
    kind: fc.constant("tool" as const),
    state: fc.constantFrom("ready" as const, "ok" as const),
    callId: id,
    name: id,
  }),
);
const thread = fc.record({
  id,
  title: text,
  preview: text,
  profile: text,
  model: text,
  status: fc.constantFrom("idle" as const, "streaming" as const),
  pinned: fc.boolean(),
  archived: fc.boolean(),
  messageCount: fc.nat(9),
  createdAt: fc.nat(9),
  updatedAt: fc.nat(9),
  policy: fc.constant(null),
  effort: fc.constant(null),
  projectId: fc.constant(null),
  focusId: fc.constant(null),
  mode: fc.constant(null),
  temporary: fc.constant(false),
  seenAt: fc.nat(9),
});
const run = fc.record({
  id,
  threadId: id,
  messageId: id,
  state: fc.constantFrom("running" as const, "ended" as const),
  outcome: fc.constantFrom(null, "done" as const, "stopped" as const, "failed" as const),
  reason: fc.constant(null),
  step: fc.nat(3),
  model: text,
  usage: fc.constant(noUsage),
  costUsd: fc.constant(null),
  startedAt: fc.nat(9),
  endedAt: fc.constant(null),
});
const message = fc.record({
  id,
  role: fc.constantFrom("user" as const, "assistant" as const),
  branchId: id,
  depth: fc.integer({ min: 1, max: 5 }),
  runId: fc.constant(null),
  variants: fc.array(id, { maxLength: 3 }),
  createdAt: fc.nat(9),
});
const event: fc.Arbitrary<ThreadEvent> = fc.oneof(
  thread.map((thread): ThreadEvent => ({ type: "thread-created", thread })),
  fc
    .record({ title: text, pinned: fc.boolean() }, { requiredKeys: [] })
    .map((patch): ThreadEvent => ({ type: "thread-changed", threadId: "a", patch })),
  fc.constant<ThreadEvent>({ type: "thread-deleted", threadId: "a" }),
  fc
    .record({
      id,
      kind: fc.constant("message" as const),
      mode: fc.constant("queue" as const),
      text,
      createdAt: fc.nat(9),
    })
    .map((input): ThreadEvent => ({ type: "input-queued", input })),
  id.map((inputId): ThreadEvent => ({ type: "input-withdrawn", inputId })),
  fc
    .record({ branchId: id, forkDepth: fc.nat(5), reload: fc.boolean() })
    .map((rest): ThreadEvent => ({ type: "branch-activated", ...rest })),
  message.map((message): ThreadEvent => ({ type: "message-added", message })),
  fc
    .record({
      messageId: id,
      partId: placed.id,
      kind: fc.constantFrom("text" as const, "reasoning" as const),
      n: placed.n,
      step: placed.step,
      text,
    })
    .map((rest): ThreadEvent => ({ type: "text-delta", ...rest })),
  fc
    .record({ messageId: id, partId: placed.id, n: placed.n, step: placed.step, callId: id, name: id, text })
    .map((rest): ThreadEvent => ({ type: "tool-input-delta", ...rest })),
  fc.record({ messageId: id, part }).map((rest): ThreadEvent => ({ type: "part-settled", ...rest })),
  run.map((run): ThreadEvent => ({ type: "run-stepped", run })),
);
const events = fc.array(event, { maxLength: 30 });

const fold = (list: readonly ThreadEvent[], from: ThreadView = emptyThreadView, first = 1): ThreadView =>
  list.reduce((view, one, index) => applyEvent(view, first + index, one), from);

/** Invariants that pages and snapshots rely on. */
function findFault(view: ThreadView): string | undefined {
  for (const [index, { depth, parts }] of view.messages.entries()) {
    if (depth <= (view.messages[index - 1]?.depth ?? 0)) return "messages are out of order";
    if (new Set(parts.map((one) => one.id)).size !== parts.length) return "a part is duplicated";
  }
  if (new Set(view.messages.map((one) => one.id)).size !== view.messages.length) return "a message is duplicated";
  if (new Set(view.queue.map((one) => one.id)).size !== view.queue.length) return "an input is duplicated";
  return undefined;
}

test("folding a log in two pieces equals folding it at once", () => {
  fc.assert(
    fc.property(events, events, (a, b) => {
      expect(fold(b, fold(a), a.length + 1)).toEqual(fold([...a, ...b]));
    }),
    { numRuns: RUNS },
  );
});

test("replayed events change nothing, in any order", () => {
  fc.assert(
    fc.property(events, fc.infiniteStream(fc.nat()), (list, picks) => {
      let view = emptyThreadView;
      for (const [index, one] of list.entries()) {
        view = applyEvent(view, index + 1, one);
        const again = (picks.next().value ?? 0) % (index + 1);
        expect(applyEvent(view, again + 1, list[again] as ThreadEvent)).toBe(view);
      }
    }),
    { numRuns: RUNS },
  );
});

test("every prefix of a log is a valid view, and folding does not mutate the previous view", () => {
  fc.assert(
    fc.property(events, (list) => {
      let view = emptyThreadView;
      for (const [index, one] of list.entries()) {
        const before = JSON.stringify(view);
        const next = applyEvent(view, index + 1, one);
        expect(JSON.stringify(view)).toBe(before);
        expect(findFault(next)).toBeUndefined();
        view = next;
      }
    }),
    { numRuns: RUNS },
  );
});

test("a settled part replaces its deltas, so missing deltas make no difference", () => {
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 1, maxLength: 8 }),
      fc.subarray([0, 1, 2, 3, 4, 5, 6, 7]),
      (texts, kept) => {
        const added: ThreadEvent = {
          type: "message-added",
          message: { id: "a", role: "assistant", branchId: "a", depth: 1, runId: null, variants: ["a"], createdAt: 1 },
        };
        const deltas = texts.map((text): ThreadEvent => ({
          type: "text-delta",
          messageId: "a",
          partId: "a.0",
          kind: "text",
          n: 0,
          step: 1,
          text,
        }));
        const settled: ThreadEvent = {
          type: "part-settled",
          messageId: "a",
          part: { id: "a.0", v: 1, n: 0, step: 1, kind: "text", state: "done", text: texts.join("") },
        };
        const whole = fold([added, ...deltas, settled]);
        const few = fold([added, ...deltas.filter((_, index) => kept.includes(index)), settled]);
        expect(few.messages).toEqual(whole.messages);
        const streamed = fold([added, ...deltas]).messages[0]?.parts[0];
        expect(streamed).toMatchObject({ text: texts.join("") });
      },
    ),
    { numRuns: RUNS },
  );
});

test("the checker detects an invalid view (control)", () => {
  const view = fold([
    {
      type: "message-added",
      message: { id: "a", role: "user", branchId: "a", depth: 1, runId: null, variants: [], createdAt: 1 },
    },
  ]);
  const twice = { ...view, messages: [...view.messages, ...view.messages] };
  expect(findFault(twice)).toBe("messages are out of order");
});

test("an event type of a newer server, or one without effect, only advances the seq", () => {
  const before = applyEvent(emptyThreadView, 1, { type: "context-changed", what: "pins" });
  expect(before).toEqual({ ...emptyThreadView, seq: 1 });
  for (const type of ["of-a-newer-server", "toString"])
    expect(applyEvent(before, 2, { type } as unknown as ThreadEvent)).toEqual({ ...before, seq: 2 });
});
