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

test("what is on the screen is marked, once for each thing that was said", () => {
  const { state, marks } = openScreen();
  state.set(toState(5));
  state.set(toState(5, { title: "renamed" }));
  state.set(toState(9));
  expect(marks).toEqual([5, 9]);
});

test("what is still being said is marked when it ends", () => {
  const { state, marks } = openScreen();
  state.set(toState(5, { status: "streaming" }));
  expect(marks).toEqual([]);
  state.set(toState(7));
  expect(marks).toEqual([7]);
});

test("a page that nobody looks at marks nothing until it is looked at", () => {
  const { state, marks, screen, look } = openScreen({ hidden: true });
  state.set(toState(5));
  expect(marks).toEqual([]);
  screen.hidden = false;
  look();
  expect(marks).toEqual([5]);
});

test("what was seen elsewhere, and what is temporary, is not marked", () => {
  const { state, marks } = openScreen();
  state.set(toState(5, { seenAt: 5 }));
  state.set(toState(6, { temporary: true }));
  expect(marks).toEqual([]);
});

test("a thread that is left is not marked any more", () => {
  const { route, state, marks } = openScreen();
  route.set(toRoute("/", ""));
  state.set(toState(5));
  expect(marks).toEqual([]);
});

test("a mark that did not work is tried again when the page is looked at", async () => {
  const { state, marks, look } = openScreen({ works: false });
  state.set(toState(5));
  await Promise.resolve();
  await Promise.resolve();
  look();
  expect(marks).toEqual([5, 5]);
});
