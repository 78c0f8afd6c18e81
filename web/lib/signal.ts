import { useDeferredValue, useSyncExternalStore } from "react";

/** A minimal external store: a value and its listeners. */
export type Signal<T> = {
  readonly get: () => T;
  readonly set: (next: T) => void;
  readonly subscribe: (listener: () => void) => () => void;
};

export function createSignal<T>(initial: T): Signal<T> {
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

export const useSignal = <T>(cell: Signal<T>): T => useSyncExternalStore(cell.subscribe, cell.get, cell.get);

/** Like `useSignal`, rendered with low priority: for large views that no key press or click waits for. */
export const useDeferred = <T>(cell: Signal<T>): T => useDeferredValue(useSignal(cell));

/** `select` must return the same value for the same input, or a primitive. */
export function useSelected<T, S>(cell: Signal<T>, select: (value: T) => S): S {
  const read = () => select(cell.get());
  return useSyncExternalStore(cell.subscribe, read, read);
}
