import type { BrowserStorage } from "./storage.ts";

/** Used by tests: storage whose content can be inspected and passed to the next page. */
export const keepInMemory = (stored = new Map<string, string>()): BrowserStorage => ({
  get: (key) => stored.get(key) ?? null,
  set: (key, value) => void (value === null ? stored.delete(key) : stored.set(key, value)),
  keys: (start) => [...stored.keys()].filter((key) => key.startsWith(start)),
});
