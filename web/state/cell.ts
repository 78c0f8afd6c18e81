import { useDeferredValue, useSyncExternalStore } from "react";

/** The smallest external store: a value, and those who want to know when it changes. */
export type Cell<T> = {
  readonly get: () => T;
  readonly set: (next: T) => void;
  readonly subscribe: (listener: () => void) => () => void;
};

export function createCell<T>(initial: T): Cell<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const useCell = <T>(cell: Cell<T>): T => useSyncExternalStore(cell.subscribe, cell.get, cell.get);

/** The same, drawn when there is time for it: for what is large, and not waited for by a key or a click. */
export const useDeferred = <T>(cell: Cell<T>): T => useDeferredValue(useCell(cell));

/** `select` must return the same value for the same input, or a primitive. */
export function useSelected<T, S>(cell: Cell<T>, select: (value: T) => S): S {
  const read = () => select(cell.get());
  return useSyncExternalStore(cell.subscribe, read, read);
}
