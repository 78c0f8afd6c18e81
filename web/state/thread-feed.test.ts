import { expect, test, vi } from "vitest";
import type { ThreadSnapshot } from "../../protocol/api.ts";
import { ResponseError } from "../../protocol/client.ts";
import type { LogEvent, MessageHead, ThreadSummary } from "../../protocol/events.ts";
import type { MessageView } from "../../protocol/fold.ts";
import type { FollowOptions } from "../api/follow.ts";
import { createThreadFeed, type ThreadFeed } from "./thread-feed.ts";

const thread: ThreadSummary = {
  id: "t",
  title: "Tides",
  preview: "",
  profile: "stone",
  model: "offline/stone",
  status: "idle",
  pinned: false,
  archived: false,
  messageCount: 0,
  createdAt: 0,
  updatedAt: 0,
  policy: null,
  effort: null,
  projectId: null,
  focusId: null,
  mode: null,
  temporary: false,
  seenAt: 0,
};
const head = (depth: number, id = `m${depth}`): MessageHead => ({
  id,
  role: depth % 2 === 1 ? "user" : "assistant",
  branchId: "b",
  depth,
  runId: null,
  variants: [id],
  createdAt: depth,
});
const messages = (from: number, to: number, prefix = "m"): MessageView[] =>
  Array.from({ length: to - from + 1 }, (_, n) => ({ ...head(from + n, `${prefix}${from + n}`), parts: [] }));
const snapshot = (seq: number, list: MessageView[]): ThreadSnapshot => ({
  seq,
  thread,
  messages: list,
  queue: [],
  run: null,
});

function createFeed(snapshots: (ThreadSnapshot | Error)[], pages: Record<number, MessageView[]> = {}) {
  const streams: (FollowOptions & { url: string; isOpen: boolean })[] = [];
  const onSignedOut = vi.fn();
  const onContextChanged = vi.fn();
  const feed = createThreadFeed({
    threadId: "t",
    onSignedOut,
    onContextChanged,
    schedule: (run) => {
      queueMicrotask(run);
      return () => {};
    },
    client: {
      getThread: async () => {
        const next = snapshots.shift();
        if (!next || next instanceof Error) throw next ?? new Error("no more snapshots");
        return next;
      },
      listMessages: async ({ query }) => ({
        messages: query?.at?.startsWith("m") ? messages(77, 77) : (pages[Number(query?.before)] ?? []),
      }),
    },
    follow: (options) => {
      const stream = { ...options, url: options.toUrl(), isOpen: true };
      streams.push(stream);
      return { wake: () => {}, pause: () => {}, close: () => void (stream.isOpen = false) };
    },
  });
  const emit = async (seq: number, event: LogEvent) => {
    streams.at(-1)?.onEvent({ seq, event });
    await Promise.resolve();
  };
  return { feed, streams, emit, onSignedOut, onContextChanged };
}

const view = (feed: ThreadFeed) => {
  const state = feed.state.get();
  if (state.phase !== "ready") throw new Error(`the feed is ${state.phase}`);
  return state.view;
};
const isReady = (feed: ThreadFeed) => vi.waitFor(() => expect(feed.state.get().phase).toBe("ready"));
const historyOf = (feed: ThreadFeed) => {
  const state = feed.state.get();
  return state.phase === "ready" ? [...state.history.messages.values()].map(({ id }) => id) : [];
};
const idsOf = (feed: ThreadFeed) => view(feed).messages.map(({ id }) => id);

test("loads the tail and follows from the snapshot's seq", async () => {
  const { feed, streams, emit } = createFeed([snapshot(10, messages(1, 2))]);
  feed.open({ created: true });
  await isReady(feed);
  expect(streams.map(({ url }) => url)).toEqual(["/api/threads/t/stream?after=10"]);
  await emit(11, { type: "message-added", message: head(3) });
  expect(idsOf(feed)).toEqual(["m1", "m2", "m3"]);
});

test("reports changes of the prompt context, and only those", async () => {
  const { feed, emit, onContextChanged } = createFeed([snapshot(10, messages(1, 2))]);
  feed.open({ created: true });
  await isReady(feed);
  await emit(11, { type: "message-added", message: head(3) });
  expect(onContextChanged).not.toHaveBeenCalled();
  await emit(12, { type: "context-changed", what: "pins" });
  await emit(13, { type: "branch-activated", branchId: "b2", forkDepth: 2, reload: false });
  expect(onContextChanged).toHaveBeenCalledTimes(2);
});

test("resumes without loading when it is opened again", async () => {
  const { feed, streams, emit } = createFeed([snapshot(10, messages(1, 2))]);
  feed.open({ created: true });
  await isReady(feed);
  await emit(14, { type: "message-added", message: head(3) });
  feed.close();
  expect(streams.map(({ isOpen }) => isOpen)).toEqual([false]);
  feed.open({ created: true });
  expect(streams.at(-1)?.url).toBe("/api/threads/t/stream?after=14");
});

test("loads another branch and joins it to the shared history", async () => {
  const tail = [...messages(4, 5), ...messages(6, 9, "x")];
  const { feed, streams, emit } = createFeed([snapshot(10, messages(4, 7)), snapshot(12, tail)], {
    4: messages(1, 3),
  });
  feed.open({ created: true });
  await isReady(feed);
  feed.setVisible({ from: 1, to: 5 });
  await vi.waitFor(() => expect(historyOf(feed)).toEqual(["m1", "m2", "m3"]));
  await emit(11, { type: "branch-activated", branchId: "b2", forkDepth: 5, reload: true });
  await vi.waitFor(() => expect(view(feed).seq).toBe(12));
  expect(idsOf(feed)).toEqual(["m4", "m5", "x6", "x7", "x8", "x9"]);
  expect(historyOf(feed)).toEqual(["m1", "m2", "m3"]);
  expect(streams.map(({ url, isOpen }) => [url, isOpen])).toEqual([
    ["/api/threads/t/stream?after=10", false],
    ["/api/threads/t/stream?after=12", true],
  ]);
});

test("drops pages that a new tail does not reach", async () => {
  const { feed, emit } = createFeed([snapshot(10, messages(1, 4)), snapshot(12, messages(50, 60, "x"))]);
  feed.open({ created: true });
  await isReady(feed);
  await emit(11, { type: "branch-activated", branchId: "b2", forkDepth: 2, reload: true });
  await vi.waitFor(() => expect(view(feed).seq).toBe(12));
  expect(idsOf(feed)[0]).toBe("x50");
});

test("keeps only the shared part of a page requested for another path", async () => {
  const pages = { 4: messages(1, 3), 2: messages(1, 1) };
  const { feed, emit } = createFeed([snapshot(10, messages(4, 5))], pages);
  feed.open({ created: true });
  await isReady(feed);
  feed.setVisible({ from: 1, to: 3 });
  await emit(11, { type: "branch-activated", branchId: "b2", forkDepth: 1, reload: false });
  await emit(12, { type: "message-added", message: head(2, "y2") });
  await vi.waitFor(() => expect(historyOf(feed)).toEqual(["m1"]));
  expect(idsOf(feed)).toEqual(["y2"]);
});

test("drops messages far from the viewport and loads them again", async () => {
  const pages = Object.fromEntries(
    Array.from({ length: 1000 }, (_, n) => [n + 2, messages(Math.max(1, n + 1 - 49), n + 1)]),
  );
  const { feed } = createFeed([snapshot(10, messages(951, 1000))], pages);
  feed.open({ created: true });
  await isReady(feed);
  for (let top = 900; top >= 1; top -= 30) {
    feed.setVisible({ from: top, to: top + 20 });
    await vi.waitFor(() => expect(historyOf(feed)).toContain(`m${top}`));
    expect(historyOf(feed).length).toBeLessThanOrEqual(500);
  }
  expect(historyOf(feed)).not.toContain("m900");
  feed.setVisible({ from: 890, to: 910 });
  await vi.waitFor(() => expect(historyOf(feed)).toContain("m900"));
});

test("reports a page that failed to load and retries on request", async () => {
  const pages: Record<number, MessageView[]> = {};
  const { feed } = createFeed([snapshot(10, messages(4, 5))], pages);
  feed.open({ created: true });
  await isReady(feed);
  feed.setVisible({ from: 1, to: 5 });
  const isFailed = () => {
    const state = feed.state.get();
    return state.phase === "ready" && state.history.failed;
  };
  await vi.waitFor(() => expect(isFailed()).toBe(true));
  pages[4] = messages(1, 3);
  feed.retry();
  await vi.waitFor(() => expect(historyOf(feed)).toEqual(["m1", "m2", "m3"]));
  expect(isFailed()).toBe(false);
});

test("finds a message in the view, in the history or by a request", async () => {
  const { feed } = createFeed([snapshot(10, messages(4, 5))], { 4: messages(1, 3) });
  feed.open({ created: true });
  await isReady(feed);
  expect(await feed.find("m5")).toBe(5);
  expect(await feed.find("m77")).toBe(77);
  expect(await feed.find("elsewhere")).toBeNull();
});

test("reports an unknown or deleted thread as gone", async () => {
  const unknown = createFeed([new ResponseError(404, "not-found", "no")]);
  unknown.feed.open({ created: true });
  await vi.waitFor(() => expect(unknown.feed.state.get().phase).toBe("gone"));

  const known = createFeed([snapshot(1, [])]);
  known.feed.open({ created: true });
  await isReady(known.feed);
  await known.emit(2, { type: "thread-deleted", threadId: "t" });
  expect(known.feed.state.get().phase).toBe("gone");
  expect(known.streams.at(-1)?.isOpen).toBe(false);
});

test("loads nothing until a new thread is created", async () => {
  const { feed, streams, emit } = createFeed([]);
  feed.open({ created: false });
  expect(view(feed).messages).toEqual([]);
  feed.wake();
  expect(streams).toEqual([]);
  feed.begin();
  expect(streams.map(({ url }) => url)).toEqual(["/api/threads/t/stream?after=0"]);
  await emit(1, { type: "thread-created", thread });
  expect(view(feed).thread?.title).toBe("Tides");
});

test("reports a missing server and retries when woken", async () => {
  const { feed } = createFeed([new TypeError("no network"), snapshot(3, messages(1, 1))]);
  feed.open({ created: true });
  await vi.waitFor(() => expect(feed.state.get().phase).toBe("failed"));
  feed.wake();
  await isReady(feed);
  expect(idsOf(feed)).toEqual(["m1"]);
});

test("retries a failed reload until the thread is closed", async () => {
  vi.useFakeTimers();
  const failed = new TypeError("no network");
  const { feed, streams, emit } = createFeed([
    snapshot(10, messages(1, 2)),
    failed,
    failed,
    snapshot(12, messages(1, 4)),
  ]);
  feed.open({ created: true });
  await vi.advanceTimersByTimeAsync(0);
  await emit(11, { type: "branch-activated", branchId: "b2", forkDepth: 1, reload: true });
  await vi.advanceTimersByTimeAsync(0);
  expect(feed.link.get()).toBe("waiting");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(view(feed).seq).toBe(12);
  expect(streams.at(-1)).toMatchObject({ url: "/api/threads/t/stream?after=12", isOpen: true });
  await emit(13, { type: "branch-activated", branchId: "b3", forkDepth: 1, reload: true });
  await vi.advanceTimersByTimeAsync(0);
  feed.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test("reports a lost session", async () => {
  const { feed, onSignedOut } = createFeed([new ResponseError(401, "unauthenticated", "no")]);
  feed.open({ created: true });
  await vi.waitFor(() => expect(onSignedOut).toHaveBeenCalledOnce());
});
