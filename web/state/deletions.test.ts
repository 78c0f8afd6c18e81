import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createDeletions, type Tabs } from "./deletions.ts";
import { createToasts } from "../lib/toasts.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const thread = { id: "t", title: "Tides" };

/** Tabs of one browser: each message reaches all other tabs. */
function openBrowser() {
  const ears: ((word: Parameters<Tabs["post"]>[0]) => void)[] = [];
  const joinTabs = (): Tabs => {
    let mine: (typeof ears)[number] | undefined;
    return {
      listen: (hear) => ears.push((mine = hear)),
      post: (word) => ears.filter((hear) => hear !== mine).forEach((hear) => hear(word)),
    };
  };
  return (isDone = true) => {
    const toasts = createToasts();
    const sent: string[] = [];
    const send = async (threadId: string, forget: boolean) => {
      sent.push(`${threadId} ${forget}`);
      return isDone;
    };
    const deletions = createDeletions({ toasts, send, tabs: joinTabs() });
    return { ...deletions, toasts, sent, shown: () => [...deletions.hidden.get()] };
  };
}

test("sends the deletion once, after the undo period", async () => {
  const tab = openBrowser()();
  tab.remove(thread, { forget: true });
  expect([tab.shown(), tab.sent]).toEqual([["t"], []]);
  await vi.advanceTimersByTimeAsync(7000);
  expect([tab.shown(), tab.sent]).toEqual([["t"], ["t true"]]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([tab.shown(), tab.sent]).toEqual([["t"], ["t true"]]);
});

test("shows the thread again after an undo and sends nothing", async () => {
  const tab = openBrowser()();
  const onUndo = vi.fn();
  tab.remove(thread, { forget: false, onUndo });
  tab.toasts.undo("delete t");
  await vi.advanceTimersByTimeAsync(60_000);
  expect([tab.shown(), tab.sent]).toEqual([[], []]);
  expect(onUndo).toHaveBeenCalledOnce();
});

test("shows the thread again if the server rejects the deletion", async () => {
  const open = openBrowser();
  const [tab, other] = [open(false), open()];
  tab.remove(thread, { forget: false });
  await vi.advanceTimersByTimeAsync(7000);
  expect([tab.sent, tab.shown(), other.shown()]).toEqual([["t false"], [], []]);
});

test("hides the thread in all tabs, also in new ones", () => {
  const open = openBrowser();
  const [tab, other] = [open(), open()];
  tab.remove(thread, { forget: false });
  const late = open();
  expect([other.shown(), late.shown()]).toEqual([["t"], ["t"]]);
  tab.toasts.undo("delete t");
  expect([other.shown(), late.shown()]).toEqual([[], []]);
});

test("keeps the thread hidden in other tabs while the undo is open", async () => {
  const open = openBrowser();
  const [tab, other] = [open(), open()];
  tab.remove(thread, { forget: false });
  tab.toasts.hold(true);
  await vi.advanceTimersByTimeAsync(120_000);
  expect([tab.sent, other.shown()]).toEqual([[], ["t"]]);
});

test("shows the thread again if the deleting tab is closed", async () => {
  const tabs: { hear?: (word: Parameters<Tabs["post"]>[0]) => void } = {};
  const { hidden } = createDeletions({
    toasts: createToasts(),
    send: async () => true,
    tabs: { post: () => undefined, listen: (hear) => (tabs.hear = hear) },
  });
  tabs.hear?.({ say: "hide", threadId: "t" });
  expect(hidden.get().has("t")).toBe(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(hidden.get().has("t")).toBe(false);
});
