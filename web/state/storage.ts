/** What this browser keeps for us. Storage may be full or refused: then it is kept until the page closes. */
export type Keep = {
  get(key: string): string | null;
  set(key: string, value: string | null): void;
};

const prefix = "stonechat.";

export function createKeep(storage: () => Storage = () => localStorage): Keep {
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
  };
}

/** Everything that this browser keeps for us goes, but for what is named. */
export function forgetKept(spared: readonly string[], storage: () => Storage = () => localStorage): void {
  try {
    const held = storage();
    const names = Array.from({ length: held.length }, (_, index) => held.key(index) ?? "");
    for (const name of names) {
      if (name.startsWith(prefix) && !spared.includes(name.slice(prefix.length))) held.removeItem(name);
    }
  } catch {
    // Storage is refused: there is nothing in it.
  }
}
