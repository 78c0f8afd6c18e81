import { expect, test, vi } from "vitest";
import type { LogEvent, ThreadSummary } from "../../protocol/events.ts";
import type { FollowOptions } from "../api/follow.ts";
import { createThreadList } from "./thread-list.ts";

const toThread = (id: string, patch: Partial<ThreadSummary> = {}): ThreadSummary => ({
  id,
  title: id,
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
  ...patch,
});

type Page = { threads: ThreadSummary[]; nextCursor: string | null };

async function openList(pages: Record<string, Page>) {
  const streams: (FollowOptions & { url: string })[] = [];
  const list = createThreadList({
    onSignedOut: () => {},
    schedule: (run) => {
      queueMicrotask(run);
      return () => {};
    },
    client: {
      listThreads: async ({ query }) => {
        const page = pages[`${query?.archived} ${query?.cursor ?? ""}`.trim()];
        if (!page) throw new TypeError("no network");
        return { seq: 5, ...page };
      },
      getThread: async ({ params }) => ({
        seq: 1,
        thread: toThread(params.threadId, { updatedAt: 99 }),
        messages: [],
        queue: [],
        run: null,
      }),
    },
    follow: (options) => {
      streams.push({ ...options, url: options.toUrl() });
      return { wake: () => {}, pause: () => {}, close: () => {} };
    },
  });
  list.open();
  await vi.waitFor(() => expect(list.state.get().phase).not.toBe("loading"));
  const emit = async (seq: number, event: LogEvent) => {
    streams.at(-1)?.onEvent({ seq, event });
    await Promise.resolve();
  };
  return { list, streams, emit, ids: () => list.state.get().view.threads.map(({ id }) => id) };
}

const first: Page = { threads: [toThread("b", { updatedAt: 2 }), toThread("a", { updatedAt: 1 })], nextCursor: "more" };

test("follows the user's stream from the list's seq", async () => {
  const { streams, emit, ids } = await openList({ false: first });
  expect(streams.map(({ url }) => url)).toEqual(["/api/stream?after=5"]);
  await emit(6, { type: "thread-changed", threadId: "a", patch: { pinned: true } });
  expect(ids()).toEqual(["a", "b"]);
});

test("fetches a changed thread outside the loaded pages", async () => {
  const { emit, ids } = await openList({ false: first });
  await emit(6, { type: "thread-changed", threadId: "old", patch: { updatedAt: 99 } });
  await vi.waitFor(() => expect(ids()).toEqual(["old", "b", "a"]));
});

test("counts changes of memory", async () => {
  const { list, emit } = await openList({ false: first });
  await emit(6, { type: "thread-changed", threadId: "a", patch: { pinned: true } });
  expect(list.memory.get()).toBe(0);
  await emit(7, { type: "memory-changed", fields: ["name"] });
  expect(list.memory.get()).toBe(1);
});

test("counts changes of providers and profiles", async () => {
  const { list, emit } = await openList({ false: first });
  await emit(6, { type: "memory-changed", fields: ["name"] });
  expect(list.settings.get()).toBe(0);
  await emit(7, { type: "providers-changed" });
  await emit(8, { type: "profiles-changed", profileId: "p" });
  expect(list.settings.get()).toBe(2);
});

test("adds further pages once, until the last", async () => {
  const { list, ids } = await openList({
    false: first,
    "false more": { threads: [toThread("a", { updatedAt: 1 }), toThread("z")], nextCursor: null },
  });
  await list.loadMore("active");
  await list.loadMore("active");
  expect(ids()).toEqual(["b", "a", "z"]);
  expect(list.state.get().cursors.active).toBeNull();
});

test("loads archived threads on request", async () => {
  const { list } = await openList({
    false: first,
    true: { threads: [toThread("gone", { archived: true })], nextCursor: null },
  });
  await list.loadMore("archived");
  expect(list.state.get().view.threads.find(({ id }) => id === "gone")?.archived).toBe(true);
  expect(list.state.get().cursors).toEqual({ active: "more", archived: null });
});

test("reports a missing server and loads when woken", async () => {
  const pages: Record<string, Page> = {};
  const { list, ids } = await openList(pages);
  expect(list.state.get().phase).toBe("failed");
  pages["false"] = first;
  list.wake();
  await vi.waitFor(() => expect(ids()).toEqual(["b", "a"]));
});
