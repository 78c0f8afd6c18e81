import { expect, test } from "vitest";
import { createBrowserStorage, removeStored } from "./storage.ts";

function createStorage(): Storage {
  const map = new Map<string, string>();
  return {
    get length() {
      return map.size;
    },
    clear: () => map.clear(),
    key: (index) => [...map.keys()][index] ?? null,
    getItem: (key) => map.get(key) ?? null,
    setItem: (key, value) => void map.set(key, value),
    removeItem: (key) => void map.delete(key),
  };
}

test("a draft is there for the next page and gone when it is emptied", () => {
  const storage = createStorage();
  createBrowserStorage(() => storage).set("draft.t1", "half a thought");
  const next = createBrowserStorage(() => storage);
  expect(next.get("draft.t1")).toBe("half a thought");
  next.set("draft.t1", null);
  expect(createBrowserStorage(() => storage).get("draft.t1")).toBeNull();
  expect(storage.length).toBe(0);
});

test("where storage is refused, it is kept as long as the page lives", () => {
  const keep = createBrowserStorage(() => {
    throw new DOMException("refused", "SecurityError");
  });
  keep.set("draft.t1", "half a thought");
  expect(keep.get("draft.t1")).toBe("half a thought");
  keep.set("draft.t1", null);
  expect(keep.get("draft.t1")).toBeNull();
});

test("where storage is full, the newest text wins over the stored one", () => {
  const storage = createStorage();
  const keep = createBrowserStorage(() => storage);
  keep.set("draft.t1", "old");
  storage.setItem = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  keep.set("draft.t1", "newer");
  expect(keep.get("draft.t1")).toBe("newer");
});

test("what is kept is listed by its beginning, wherever it is kept", () => {
  const storage = createStorage();
  const keep = createBrowserStorage(() => storage);
  storage.setItem("somebody.else", "outbox.");
  keep.set("outbox.1", "one");
  keep.set("theme", "dark");
  storage.setItem = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  keep.set("outbox.2", "two");
  expect(keep.keys("outbox.").toSorted()).toEqual(["outbox.1", "outbox.2"]);
  const refused = createBrowserStorage(() => {
    throw new DOMException("refused", "SecurityError");
  });
  expect(refused.keys("outbox.")).toEqual([]);
});

test("everything of ours is forgotten but for what is spared, and nothing of others", () => {
  const storage = createStorage();
  const keep = createBrowserStorage(() => storage);
  keep.set("draft.t1", "half a thought");
  keep.set("theme", "dark");
  storage.setItem("somebody.else", "stays");
  removeStored(["theme"], () => storage);
  expect([keep.get("draft.t1"), keep.get("theme"), storage.getItem("somebody.else")]).toEqual([null, "dark", "stays"]);
});
