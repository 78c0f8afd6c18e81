import { useCallback, useEffect, useEffectEvent, useState } from "react";
import { ApiError } from "../../protocol/client.ts";

const loading = { phase: "loading" } as const;

/**
 * Asks for what the key names, each time the key is another; null: for nothing yet. While it is asked for again by `reload`,
 * what was there stays.
 */
export function useLoad<T>(key: string | null, ask: (signal: AbortSignal) => Promise<T>) {
  const [held, setHeld] = useState<{ readonly key: string | null; readonly state: Loaded<T> }>({ key, state: loading });
  const [turn, setTurn] = useState(0);
  const askLatest = useEffectEvent(ask);
  useEffect(() => {
    if (key === null) return;
    const asking = new AbortController();
    const settle = (state: Loaded<T>) => {
      if (!asking.signal.aborted) setHeld({ key, state });
    };
    askLatest(asking.signal).then(
      (value) => settle({ phase: "ready", value }),
      (error: unknown) => settle({ phase: "failed", text: toFailure(error) }),
    );
    return () => asking.abort();
  }, [key, turn]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  return { state: held.key === key ? held.state : loading, reload } as const;
}

/** Something that is asked for. */
export type Loaded<T> =
  | { readonly phase: "loading" }
  | { readonly phase: "ready"; readonly value: T }
  | { readonly phase: "failed"; readonly text: string };

export const toFailure = (error: unknown): string =>
  error instanceof ApiError ? error.message : "The server cannot be reached.";
