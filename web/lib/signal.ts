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

export const useSignal = <T>(signal: Signal<T>): T => useSyncExternalStore(signal.subscribe, signal.get, signal.get);

/** Like `useSignal`, rendered with low priority: for large views that no key press or click waits for. */
export const useDeferred = <T>(signal: Signal<T>): T => useDeferredValue(useSignal(signal));

/** `select` must return the same value for the same input, or a primitive. */
export function useSelected<T, S>(signal: Signal<T>, select: (value: T) => S): S {
  const read = () => select(signal.get());
  return useSyncExternalStore(signal.subscribe, read, read);
}
