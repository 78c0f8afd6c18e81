import fc from "fast-check";
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

/** Behaves like the server: the later time wins, or the write that names the current version; never over an unseen text. */
function openServer() {
  let remote: StoredDraft = { text: "", at: 0, version: 0 };
  let seq = 0;
  const readers = new Set<Draft>();
  let isDown = false;
  const put = (text: string, at: number, was?: number) => {
    remote = { text, at, version: (seq += 1) };
    for (const reader of readers) reader.announce(seq, text === "", was);
  };
  const asked = { get: 0, set: 0 };
  const target = (isReady = () => true): DraftTarget => ({
    isReady,
    get: async () => {
      asked.get += 1;
      if (isDown) throw new TypeError("no network");
      return remote;
    },
    set: async ({ text, at, was, apart }) => {
      asked.set += 1;
      if (isDown) throw new TypeError("no network");
      const isOver = was === remote.version;
      const isUnseen = was !== undefined && !isOver && remote.text !== "";
      if (remote.text !== text && !isUnseen && (isOver || at >= remote.at))
        put(text, Math.max(at, isOver ? remote.at : 0), isOver && !apart ? was : undefined);
      return { kept: remote.text === text, draft: remote };
    },
  });
  return {
    asked,
    target,
    /** As the server does with a sent message. */
    send: (text: string) => {
      if (text.trim() !== "" && remote.text.trim() === text.trim()) put("", Date.now(), remote.version);
    },
    readers,
    put,
    stands: () => remote.text,
    read: () => (remote.version === 0 ? null : remote),
    setDown: (down: boolean) => {
      isDown = down;
    },
  };
}

function openTab(server: ReturnType<typeof openServer>, storage = keepInMemory(), isReady?: () => boolean) {
  const aside: string[] = [];
  const target = server.target(isReady);
  let isGone = false;
  const alive = () => {
    if (isGone) throw new TypeError("the page is gone");
  };
  const draft = createDraft({
    owner: "t",
    target: {
      ...target,
      get: async () => {
        alive();
        return target.get();
      },
      set: async (body) => {
        alive();
        return target.set(body);
      },
    },
    storage,
    onReplaced: (text) => aside.push(text),
  });
  server.readers.add(draft);
  const close = draft.open();
  const leave = () => {
    close();
    // A request that has begun still arrives.
    isGone = true;
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

test("shows what another device made of its text, and a message with the older text leaves the edit alone", async () => {
  const server = openServer();
  const [a, b] = [openTab(server), openTab(server)];
  b.draft.write("Please book the flight");
  await rest();
  a.draft.write("Please book the ");
  a.draft.write("Please book the hotel");
  await rest(1000);
  a.draft.write("Please book the hotel in Porto");
  await rest();
  expect(b.draft.text.get()).toBe("Please book the hotel in Porto");
  a.draft.write("Please book the hotel in Lisbon");
  // Sent before the edit arrives.
  server.send(b.draft.text.get());
  b.draft.send();
  await rest();
  const edited = "Please book the hotel in Lisbon";
  expect([a.draft.text.get(), b.draft.text.get(), server.stands()]).toEqual([edited, edited, edited]);
});

test("emptying the field does not delete a text that was not shown in it", async () => {
  const server = openServer();
  const { draft } = openTab(server);
  draft.write("mine");
  await rest();
  server.put("from elsewhere", Date.now());
  await rest();
  expect(draft.text.get()).toBe("mine");
  draft.write("");
  await rest();
  expect([draft.text.get(), server.stands()]).toEqual(["from elsewhere", "from elsewhere"]);
});

test("a text that gave way to another stays in the field and in the list of replaced texts after a reload", async () => {
  const server = openServer();
  const first = openTab(server);
  first.draft.write("mine");
  await rest();
  server.put("from elsewhere", Date.now());
  await rest();
  first.leave();
  const again = openTab(server, first.storage);
  again.draft.reconcile({ text: "from elsewhere", at: Date.now(), version: 2 });
  await rest();
  expect([again.draft.text.get(), again.draft.replaced()]).toEqual(["mine", ["mine"]]);
  again.draft.send();
  expect(again.draft.replaced()).toEqual([]);
});

const step = fc.oneof(
  fc.record({ tab: fc.nat(1), do: fc.constant("type" as const) }),
  fc.record({ tab: fc.nat(1), do: fc.constant("delete" as const) }),
  fc.record({ tab: fc.nat(1), do: fc.constant("send" as const) }),
  fc.record({ tab: fc.nat(1), do: fc.constant("reload" as const) }),
  fc.record({ tab: fc.nat(1), do: fc.constant("network" as const) }),
  fc.record({ tab: fc.nat(1), do: fc.constantFrom("wait" as const), ms: fc.constantFrom(50, 300, 800, 5000) }),
);

/** Runs the steps in two tabs and returns the words that were typed, not deleted, not sent and are nowhere to be found. */
async function loseWords(steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[], isShared: boolean) {
  const server = openServer();
  const first = keepInMemory();
  const storages = [first, isShared ? first : keepInMemory()] as const;
  const open = (at: number) => openTab(server, storages[at]);
  const tabs = [open(0), open(1)];
  for (const { draft } of tabs) draft.reconcile(null);
  const typed: string[] = [];
  const gone = new Set<string>();
  const wordsOf = (text: string) => text.split(" ").filter((word) => word !== "");
  let isDown = false;
  for (const one of steps) {
    const { draft } = tabs[one.tab]!;
    const words = wordsOf(draft.text.get());
    if (one.do === "type") {
      typed.push(`w${typed.length}`);
      draft.write([...words, typed.at(-1)].join(" "));
    } else if (one.do === "delete") {
      for (const word of words.splice(-1)) gone.add(word);
      draft.write(words.join(" "));
    } else if (one.do === "send" && words.length > 0) {
      for (const word of words) gone.add(word);
      if (!isDown) server.send(draft.text.get());
      draft.send();
    } else if (one.do === "reload") {
      tabs[one.tab]!.leave();
      tabs[one.tab] = open(one.tab);
      if (!isDown) tabs[one.tab]!.draft.reconcile(server.read());
    } else if (one.do === "network") {
      isDown = !isDown;
      server.setDown(isDown);
    } else if (one.do === "wait") await rest(one.ms);
  }
  server.setDown(false);
  for (const { draft } of tabs) draft.wake();
  await rest(30_000);
  const found = [...tabs.flatMap(({ draft }) => [draft.text.get(), ...draft.replaced()]), server.stands()];
  for (const { leave } of tabs) leave();
  vi.clearAllTimers();
  const there = new Set(found.flatMap(wordsOf));
  return typed.filter((word) => !gone.has(word) && !there.has(word));
}

test.each([
  ["on two devices", false],
  ["in two tabs of one browser", true],
])("words that were typed and neither deleted nor sent are never lost, %s", async (_place, isShared) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30, size: "max" }), async (steps) => {
      expect(await loseWords(steps, isShared)).toEqual([]);
    }),
    { numRuns: 1500, seed: 20_261_116 },
  );
});
