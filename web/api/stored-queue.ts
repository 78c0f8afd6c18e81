import { ResponseError } from "../../protocol/client.ts";
import { createSignal, type Signal } from "../lib/signal.ts";
import { readStored, type BrowserStorage } from "../lib/storage.ts";
import { toErrorText } from "../lib/use-load.ts";

/**
 * Requests that stay in browser storage until the server has answered them, also across reloads. Each has its own key, so that
 * tabs do not overwrite each other's requests.
 */
export type StoredQueue<T> = {
  readonly items: Signal<readonly T[]>;
  /** Replaces the items and stores the difference. */
  replace(next: readonly T[]): void;
  /** False if another tab has removed the item. */
  isStored(id: string): boolean;
};

type Options<T> = {
  readonly storage: BrowserStorage;
  readonly prefix: string;
  readonly compare: (a: T, b: T) => number;
  /** The item as it is after a reload. */
  readonly restore?: (stored: T) => T;
  /** True if the server has the item, so that it need not be stored any longer. */
  readonly isAccepted?: (item: T) => boolean;
};

export function createStoredQueue<T extends { readonly id: string }>({
  storage,
  prefix,
  compare,
  restore = (stored) => stored,
  isAccepted = () => false,
}: Options<T>): StoredQueue<T> {
  const stored = storage.keys(prefix).flatMap((key) => readStored<T>(storage, key) ?? []);
  const items = createSignal<readonly T[]>(stored.toSorted(compare).map(restore));
  return {
    items,
    replace: (next) => {
      const before = items.get();
      const ids = new Set(next.map(({ id }) => id));
      for (const { id } of before) if (!ids.has(id)) storage.set(prefix + id, null);
      for (const item of next)
        if (!before.includes(item)) storage.set(prefix + item.id, isAccepted(item) ? null : JSON.stringify(item));
      items.set(next);
    },
    isStored: (id) => storage.get(prefix + id) !== null,
  };
}

/** `retry`: the same request may succeed later. `refused`: it never will. */
export type RequestFailure = {
  readonly kind: "signed-out" | "retry" | "conflict" | "refused";
  readonly text: string;
  /** The server's current version after a conflict. */
  readonly current: unknown;
};

export function toFailure(error: unknown): RequestFailure {
  const text = toErrorText(error);
  if (!(error instanceof ResponseError)) return { kind: "retry", text, current: null };
  return { kind: toKind(error.status), text, current: error.current ?? null };
}

function toKind(status: number): RequestFailure["kind"] {
  if (status === 401) return "signed-out";
  if (status === 409) return "conflict";
  return status >= 500 || status === 429 ? "retry" : "refused";
}
