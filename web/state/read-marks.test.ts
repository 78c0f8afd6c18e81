import { expect, test } from "vitest";
import type { ThreadSummary } from "../../protocol/events.ts";
import { emptyThreadView } from "../../protocol/fold.ts";
import { createSignal } from "../lib/signal.ts";
import { toRoute } from "./route.ts";
import type { ThreadState } from "./thread-feed.ts";
import { watchReadMarks } from "./read-marks.ts";

const toState = (updatedAt: number, patch: Partial<ThreadSummary> = {}): ThreadState => {
  const thread = { id: "t", updatedAt, seenAt: 0, status: "idle", temporary: false, ...patch } as ThreadSummary;
  return {
    phase: "ready",
    view: { ...emptyThreadView, thread },
    history: { messages: new Map(), failed: false },
  } as ThreadState;
};

function openScreen({ hidden = false, path = "/t/t", works = true } = {}) {
  const route = createSignal(toRoute(path, ""));
  const state = createSignal<ThreadState>({ phase: "loading" });
  const marks: number[] = [];
  const looks: (() => void)[] = [];
  const screen = { hidden, addEventListener: (_: string, look: () => void) => looks.push(look) };
  const client = {
    markSeen: async ({ body: { at } }: { body: { at: number } }) => {
      marks.push(at);
      if (!works) throw new TypeError("no network");
      return { seenAt: at };
    },
  };
  watchReadMarks({ route, client, getFeed: () => ({ state }) }, screen as never);
  const look = () => looks.forEach((one) => one());
  return { route, state, marks, screen, look };
}

test("marks the visible thread as read once per change", () => {
  const { state, marks } = openScreen();
  state.set(toState(5));
  state.set(toState(5, { title: "renamed" }));
  state.set(toState(9));
  expect(marks).toEqual([5, 9]);
});

test("marks a running answer when it ends", () => {
  const { state, marks } = openScreen();
  state.set(toState(5, { status: "streaming" }));
  expect(marks).toEqual([]);
  state.set(toState(7));
  expect(marks).toEqual([7]);
});

test("marks nothing while the page is hidden", () => {
  const { state, marks, screen, look } = openScreen({ hidden: true });
  state.set(toState(5));
  expect(marks).toEqual([]);
  screen.hidden = false;
  look();
  expect(marks).toEqual([5]);
});

test("does not mark read or temporary threads", () => {
  const { state, marks } = openScreen();
  state.set(toState(5, { seenAt: 5 }));
  state.set(toState(6, { temporary: true }));
  expect(marks).toEqual([]);
});

test("stops marking a thread that was left", () => {
  const { route, state, marks } = openScreen();
  route.set(toRoute("/", ""));
  state.set(toState(5));
  expect(marks).toEqual([]);
});

test("retries a failed mark when the page becomes visible", async () => {
  const { state, marks, look } = openScreen({ works: false });
  state.set(toState(5));
  await Promise.resolve();
  await Promise.resolve();
  look();
  expect(marks).toEqual([5, 5]);
});
