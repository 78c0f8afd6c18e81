import type { BrowserStorage } from "./storage.ts";

/** For tests: storage whose content can be inspected and passed to the next page. */
export const keepInMemory = (kept = new Map<string, string>()): BrowserStorage => ({
  get: (key) => kept.get(key) ?? null,
  set: (key, value) => void (value === null ? kept.delete(key) : kept.set(key, value)),
  keys: (start) => [...kept.keys()].filter((key) => key.startsWith(start)),
});
