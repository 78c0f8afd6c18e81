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

test("keeps a value for the next page until it is cleared", () => {
  const storage = createStorage();
  createBrowserStorage(() => storage).set("draft.t1", "half a thought");
  const next = createBrowserStorage(() => storage);
  expect(next.get("draft.t1")).toBe("half a thought");
  next.set("draft.t1", null);
  expect(createBrowserStorage(() => storage).get("draft.t1")).toBeNull();
  expect(storage.length).toBe(0);
});

test("keeps values in memory if storage is unavailable", () => {
  const stored = createBrowserStorage(() => {
    throw new DOMException("refused", "SecurityError");
  });
  stored.set("draft.t1", "half a thought");
  expect(stored.get("draft.t1")).toBe("half a thought");
  stored.set("draft.t1", null);
  expect(stored.get("draft.t1")).toBeNull();
});

test("prefers the newest text to the stored one if storage is full", () => {
  const storage = createStorage();
  const stored = createBrowserStorage(() => storage);
  stored.set("draft.t1", "old");
  storage.setItem = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  stored.set("draft.t1", "newer");
  expect(stored.get("draft.t1")).toBe("newer");
});

test("lists keys by prefix, from storage and from memory", () => {
  const storage = createStorage();
  const stored = createBrowserStorage(() => storage);
  storage.setItem("other.app", "outbox.");
  stored.set("outbox.1", "one");
  stored.set("theme", "dark");
  storage.setItem = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  stored.set("outbox.2", "two");
  expect(stored.keys("outbox.").toSorted()).toEqual(["outbox.1", "outbox.2"]);
  const refused = createBrowserStorage(() => {
    throw new DOMException("refused", "SecurityError");
  });
  expect(refused.keys("outbox.")).toEqual([]);
});

test("removes our values except the named ones, and no values of other apps", () => {
  const storage = createStorage();
  const stored = createBrowserStorage(() => storage);
  stored.set("draft.t1", "half a thought");
  stored.set("theme", "dark");
  storage.setItem("other.app", "stays");
  removeStored(["theme"], () => storage);
  expect([stored.get("draft.t1"), stored.get("theme"), storage.getItem("other.app")]).toEqual([null, "dark", "stays"]);
});
