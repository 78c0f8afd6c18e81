import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepInMemory } from "../lib/memory-storage.ts";
import { createDraft, type Draft, type DraftTarget, type StoredDraft } from "./draft.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("removeEventListener", () => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Behaves like the server: the later time wins, or the write that names the current version. */
function openServer() {
  let remote: StoredDraft = { text: "", at: 0, version: 0 };
  let seq = 0;
  const readers = new Set<Draft>();
  let isDown = false;
  const put = (text: string, at: number) => {
    remote = { text, at, version: (seq += 1) };
    for (const reader of readers) reader.announce(seq, text === "");
  };
  const asked = { get: 0, set: 0 };
  const target = (isReady = () => true): DraftTarget => ({
    isReady,
    get: async () => {
      asked.get += 1;
      if (isDown) throw new TypeError("no network");
      return remote;
    },
    set: async ({ text, at, was }) => {
      asked.set += 1;
      if (isDown) throw new TypeError("no network");
      const isOver = was === remote.version;
      if (remote.text !== text && (isOver || at >= remote.at)) put(text, Math.max(at, isOver ? remote.at : 0));
      return { kept: remote.text === text, draft: remote };
    },
  });
  return {
    asked,
    target,
    readers,
    put,
    stands: () => remote.text,
    setDown: (down: boolean) => {
      isDown = down;
    },
  };
}

function openTab(server: ReturnType<typeof openServer>, storage = keepInMemory(), isReady?: () => boolean) {
  const aside: string[] = [];
  const draft = createDraft({
    owner: "t",
    target: server.target(isReady),
    storage,
    onReplaced: (text) => aside.push(text),
  });
  server.readers.add(draft);
  const close = draft.open();
  const leave = () => {
    close();
    server.readers.delete(draft);
  };
  return { draft, aside, storage, leave };
}

const rest = (ms = 5000) => vi.advanceTimersByTimeAsync(ms);

test("stores text in the browser at once and on the server after a pause", async () => {
  const server = openServer();
  const { draft, storage } = openTab(server);
  draft.write("hel");
  draft.write("hello");
  await rest(300);
  expect([storage.get("draft.t"), server.stands(), server.asked.set]).toEqual(["hello", "", 0]);
  await rest();
  expect([server.stands(), server.asked.set]).toEqual(["hello", 1]);
});

test("shows the draft in another tab, without requests by the first", async () => {
  const server = openServer();
  const [a, b] = [openTab(server), openTab(server)];
  a.draft.write("from here");
  await rest();
  expect(b.draft.text.get()).toBe("from here");
  expect(server.asked.get).toBe(1);
});

test("never replaces text that was typed here by other text, also not when that is sent", async () => {
  const server = openServer();
  const [a, b] = [openTab(server), openTab(server)];
  a.draft.write("mine");
  await rest(500);
  b.draft.write("yours");
  await rest(400);
  // The first has arrived; the second is still being typed.
  expect([server.stands(), b.draft.text.get()]).toEqual(["mine", "yours"]);
  await rest();
  expect([server.stands(), a.draft.text.get(), b.draft.text.get()]).toEqual(["yours", "mine", "yours"]);
  // Sending empties the draft; the other text is stored again and shown everywhere.
  b.draft.write("");
  await rest();
  expect([server.stands(), a.draft.text.get(), b.draft.text.get()]).toEqual(["mine", "mine", "mine"]);
});

test("text that was continued in another tab is followed there, and emptied with it", async () => {
  const server = openServer();
  const [a, b] = [openTab(server), openTab(server)];
  a.draft.write("half");
  await rest();
  b.draft.write("half and more");
  await rest();
  expect(a.draft.text.get()).toBe("half and more");
  b.draft.write("");
  await rest();
  expect([server.stands(), a.draft.text.get(), b.draft.text.get()]).toEqual(["", "", ""]);
});

test("loses nothing if the clock is behind", async () => {
  const server = openServer();
  server.put("from the future", 9_000_000_000);
  const { draft, aside } = openTab(server);
  draft.reconcile({ text: "from the future", at: 9_000_000_000, version: 1 });
  server.put("", 9_000_000_001);
  draft.write("typed now");
  await rest();
  expect([draft.text.get(), server.stands(), aside]).toEqual(["typed now", "typed now", []]);
});

test("waits in the browser without a network and is sent later", async () => {
  const server = openServer();
  server.setDown(true);
  const storage = keepInMemory();
  const first = openTab(server, storage);
  first.draft.write("on the train");
  await rest();
  first.leave();
  server.setDown(false);
  const { draft } = openTab(server, storage);
  expect(draft.text.get()).toBe("on the train");
  draft.reconcile(null);
  await rest();
  expect(server.stands()).toBe("on the train");
});

test("replaces an older local text and hands it to onReplaced", async () => {
  const server = openServer();
  server.setDown(true);
  const storage = keepInMemory();
  const first = openTab(server, storage);
  first.draft.write("yesterday");
  await rest();
  first.leave();
  server.setDown(false);
  server.put("today", Date.now() + 1);
  const { draft, aside } = openTab(server, storage);
  await rest();
  expect([draft.text.get(), server.stands(), aside]).toEqual(["today", "today", ["yesterday"]]);
});

test("is emptied in every tab by a sent message, without a request", async () => {
  const server = openServer();
  const [a, b] = [openTab(server), openTab(server)];
  a.draft.write("to be sent");
  await rest();
  const before = server.asked.set;
  server.put("", Date.now());
  await rest();
  expect([a.draft.text.get(), b.draft.text.get(), server.asked.set]).toEqual(["", "", before]);
});

test("is not sent before the message that is being sent", async () => {
  const server = openServer();
  let isReady = false;
  const { draft } = openTab(server, keepInMemory(), () => isReady);
  draft.write("the next one");
  await rest();
  expect(server.stands()).toBe("");
  server.put("", Date.now());
  await rest();
  expect(draft.text.get()).toBe("the next one");
  isReady = true;
  draft.wake();
  await rest();
  expect([draft.text.get(), server.stands()]).toEqual(["the next one", "the next one"]);
});

test("is pushed again to a server that lost it", async () => {
  const server = openServer();
  const storage = keepInMemory();
  const first = openTab(server, storage);
  first.draft.write("kept");
  await rest();
  first.leave();
  const another = openServer();
  const { draft } = openTab(another, storage);
  draft.reconcile(null);
  await rest();
  expect([draft.text.get(), another.stands()]).toEqual(["kept", "kept"]);
});

test("control: without version events a second tab stays outdated", async () => {
  const server = openServer();
  const [a, b] = [openTab(server), openTab(server)];
  server.readers.delete(b.draft);
  a.draft.write("unheard");
  await rest();
  expect(b.draft.text.get()).toBe("");
});

test("an untouched tab does not overwrite the stored text of another tab", () => {
  const storage = keepInMemory();
  const open = () => createDraft({ owner: "new.project", target: null, storage, onReplaced: () => undefined });
  const [one, other] = [open(), open()];
  const [leaveOne, leaveOther] = [one.open(), other.open()];
  one.write("half a thought");
  leaveOne();
  leaveOther();
  expect(storage.get("draft.new.project")).toBe("half a thought");
});

test("does not send a draft again whose thread was deleted", async () => {
  const server = openServer();
  const { draft } = openTab(server);
  server.setDown(true);
  draft.write("too late");
  await rest(701);
  const { set } = server.asked;
  draft.forget();
  await rest(60_000);
  expect(server.asked.set).toBe(set);
});
