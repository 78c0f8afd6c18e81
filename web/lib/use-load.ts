import { useCallback, useEffect, useEffectEvent, useState } from "react";
import { ResponseError } from "../../protocol/client.ts";
import { ShownError, toSentence } from "./error-text.ts";
import { errors } from "../strings/errors.ts";

/** A failed request: the message to show, and the HTTP status if the server answered. */
export type FailedState = { readonly phase: "failed"; readonly text: string; readonly status: number | null };

/** The states of remote data that has not arrived. Stores add their own states to these. */
export type UnloadedState = { readonly phase: "loading" } | FailedState;

export type LoadState<T> = UnloadedState | { readonly phase: "ready"; readonly value: T };

export const loading = { phase: "loading" } as const;

/**
 * Loads remote data whenever `key` changes; a null key loads nothing. `reload` keeps the current value until the new one arrives.
 * The signal is aborted when the key changes or the component unmounts.
 */
export function useLoad<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>) {
  const [loaded, setLoaded] = useState<{ readonly key: string | null; readonly state: LoadState<T> }>({
    key,
    state: loading,
  });
  const [turn, setTurn] = useState(0);
  const loadLatest = useEffectEvent(load);
  useEffect(() => {
    if (key === null) return;
    const controller = new AbortController();
    const finish = (state: LoadState<T>) => {
      if (!controller.signal.aborted) setLoaded({ key, state });
    };
    loadLatest(controller.signal).then(
      (value) => finish({ phase: "ready", value }),
      (error: unknown) => finish(toFailed(error)),
    );
    return () => controller.abort();
  }, [key, turn]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  return { state: loaded.key === key ? loaded.state : loading, reload } as const;
}

export const toFailed = (error: unknown): FailedState => ({
  phase: "failed",
  text: toErrorText(error),
  status: error instanceof ResponseError ? error.status : null,
});

/** The server's own message, or that it cannot be reached. */
export function toErrorText(error: unknown): string {
  if (error instanceof ShownError) return error.message;
  return error instanceof ResponseError ? toSentence(error) : errors.unreachable;
}
