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
