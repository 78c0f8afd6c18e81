/** Browser storage with the app's prefix. If it is full or unavailable, values are kept in memory until the page closes. */
export type BrowserStorage = {
  get(key: string): string | null;
  set(key: string, value: string | null): void;
  /** All keys with this prefix. */
  keys(start: string): readonly string[];
};

const prefix = "stonechat.";

export function createBrowserStorage(storage: () => Storage = () => localStorage): BrowserStorage {
  const spare = new Map<string, string>();
  return {
    get: (key) => {
      try {
        return spare.get(key) ?? storage().getItem(prefix + key);
      } catch {
        return null;
      }
    },
    set: (key, value) => {
      spare.delete(key);
      try {
        if (value === null) storage().removeItem(prefix + key);
        else storage().setItem(prefix + key, value);
      } catch {
        if (value !== null) spare.set(key, value);
      }
    },
    keys: (start) => {
      const keys = [...spare.keys(), ...listNames(storage)];
      return [...new Set(keys)].filter((key) => key.startsWith(start));
    },
  };
}

/** A stored JSON value; null if there is none or it cannot be parsed. */
export function readStored<T>(storage: BrowserStorage, key: string): T | null {
  try {
    return JSON.parse(storage.get(key) ?? "null") as T | null;
  } catch {
    return null;
  }
}

/** Empty if storage is unavailable. */
function listNames(storage: () => Storage): readonly string[] {
  try {
    const area = storage();
    const names = Array.from({ length: area.length }, (_, index) => area.key(index) ?? "");
    return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  } catch {
    return [];
  }
}

/** Removes all stored values except the named ones. */
export function removeStored(spared: readonly string[], storage: () => Storage = () => localStorage): void {
  for (const name of listNames(storage)) if (!spared.includes(name)) storage().removeItem(prefix + name);
}
