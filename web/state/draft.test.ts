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

/** The server as its contract tells: the last by its own time wins, or who names the version that stands there. */
function openServer() {
  let standing: StoredDraft = { text: "", at: 0, version: 0 };
  let seq = 0;
  const readers = new Set<Draft>();
  let isDown = false;
  const put = (text: string, at: number) => {
    standing = { text, at, version: (seq += 1) };
    for (const reader of readers) reader.hear(seq, text === "");
  };
  const asked = { get: 0, set: 0 };
  const target = (isReady = () => true): DraftTarget => ({
    isReady,
    get: async () => {
      asked.get += 1;
      if (isDown) throw new TypeError("no network");
      return standing;
    },
    set: async ({ text, at, was }) => {
      asked.set += 1;
      if (isDown) throw new TypeError("no network");
      const isOver = was === standing.version;
      if (standing.text !== text && (isOver || at >= standing.at)) put(text, Math.max(at, isOver ? standing.at : 0));
      return { kept: standing.text === text, draft: standing };
    },
  });
  return {
    asked,
    target,
    readers,
    put,
    stands: () => standing.text,
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
    onSetAside: (text) => aside.push(text),
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

test("what is typed is kept at once, and on the server when the hands rest", async () => {
  const server = openServer();
  const { draft, storage } = openTab(server);
  draft.write("hel");
  draft.write("hello");
  await rest(300);
  expect([storage.get("draft.t"), server.stands(), server.asked.set]).toEqual(["hello", "", 0]);
  await rest();
  expect([server.stands(), server.asked.set]).toEqual(["hello", 1]);
});

test("another tab shows it, and the one that wrote it asks for nothing", async () => {
  const server = openServer();
  const [a, b] = [openTab(server), openTab(server)];
  a.draft.write("from here");
  await rest();
  expect(b.draft.text.get()).toBe("from here");
  expect(server.asked.get).toBe(1);
});

test("what is being typed is never taken away: the last hand wins everywhere", async () => {
  const server = openServer();
  const [a, b] = [openTab(server), openTab(server)];
  a.draft.write("mine");
  await rest(500);
  b.draft.write("yours");
  await rest(400);
  // The first has arrived and the second is still in the hands.
  expect([server.stands(), b.draft.text.get()]).toEqual(["mine", "yours"]);
  await rest();
  expect([server.stands(), a.draft.text.get(), b.draft.text.get()]).toEqual(["yours", "yours", "yours"]);
});

test("a clock that is behind loses nothing that is typed", async () => {
  const server = openServer();
  server.put("from the future", 9_000_000_000);
  const { draft, aside } = openTab(server);
  draft.meet({ text: "from the future", at: 9_000_000_000, version: 1 });
  server.put("", 9_000_000_001);
  draft.write("typed now");
  await rest();
  expect([draft.text.get(), server.stands(), aside]).toEqual(["typed now", "typed now", []]);
});

test("without a network it waits here, and goes when there is one", async () => {
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
  draft.meet(null);
  await rest();
  expect(server.stands()).toBe("on the train");
});

test("what was kept here gives way to what was written later elsewhere, and is not lost", async () => {
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

test("a sent message empties it in every tab, without another word to the server", async () => {
  const server = openServer();
  const [a, b] = [openTab(server), openTab(server)];
  a.draft.write("to be sent");
  await rest();
  const before = server.asked.set;
  server.put("", Date.now());
  await rest();
  expect([a.draft.text.get(), b.draft.text.get(), server.asked.set]).toEqual(["", "", before]);
});

test("what is typed while a message is on its way does not overtake it", async () => {
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

test("a server that has lost it is told again", async () => {
  const server = openServer();
  const storage = keepInMemory();
  const first = openTab(server, storage);
  first.draft.write("kept");
  await rest();
  first.leave();
  const another = openServer();
  const { draft } = openTab(another, storage);
  draft.meet(null);
  await rest();
  expect([draft.text.get(), another.stands()]).toEqual(["kept", "kept"]);
});

test("control: without versions of what others wrote a second tab stays behind", async () => {
  const server = openServer();
  const [a, b] = [openTab(server), openTab(server)];
  server.readers.delete(b.draft);
  a.draft.write("unheard");
  await rest();
  expect(b.draft.text.get()).toBe("");
});

test("a tab that is left without having been written in keeps its hands off what another one kept", () => {
  const storage = keepInMemory();
  const open = () => createDraft({ owner: "new.project", target: null, storage, onSetAside: () => undefined });
  const [one, other] = [open(), open()];
  const [leaveOne, leaveOther] = [one.open(), other.open()];
  one.write("half a thought");
  leaveOne();
  leaveOther();
  expect(storage.get("draft.new.project")).toBe("half a thought");
});

test("a draft whose thread is deleted while it is on its way is not sent again", async () => {
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
