import { useCallback, useEffect, useEffectEvent, useState } from "react";
import type { QueryInput } from "../../protocol/api.ts";
import type { SearchHit } from "../../protocol/search.ts";
import { toFailed, type FailedState } from "../lib/use-load.ts";
import { usePage } from "../state/page.ts";

export type SearchState =
  | { readonly phase: "idle" }
  | { readonly phase: "searching" }
  | FailedState
  | { readonly phase: "found"; readonly hits: readonly SearchHit[]; readonly limit: number };

const pauseMs = 180;
const defaultLimit = 30;

/** Searches when typing pauses; outdated responses are dropped. Previous hits stay until the next ones arrive. */
export function useSearch(query: QueryInput<"search">, onStart: () => void = noop) {
  const { client } = usePage();
  const [state, setState] = useState<SearchState>({ phase: "idle" });
  const [attempt, setAttempt] = useState(0);
  /** The query that the state belongs to. */
  const [answeredKey, setAnsweredKey] = useState<string | null>(null);
  const key = query.q.trim() === "" ? null : JSON.stringify(query);
  const start = useEffectEvent(onStart);
  useEffect(() => {
    if (key === null) return setState({ phase: "idle" });
    const request = JSON.parse(key) as QueryInput<"search">;
    const controller = new AbortController();
    setState((before) => (before.phase === "found" ? before : { phase: "searching" }));
    const finish = (next: SearchState) => {
      if (controller.signal.aborted) return;
      setState(next);
      setAnsweredKey(key);
    };
    const timer = setTimeout(() => {
      start();
      client.search({ params: {}, query: request }, controller.signal).then(
        ({ hits }) => finish({ phase: "found", hits, limit: Number(request.limit ?? defaultLimit) }),
        (error: unknown) => finish(toFailed(error)),
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [client, key, attempt]);
  const retry = useCallback(() => setAttempt((before) => before + 1), []);
  return { state, isLoading: key !== null && key !== answeredKey, retry } as const;
}

const noop = (): void => undefined;
