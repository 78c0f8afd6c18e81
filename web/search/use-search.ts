import { useCallback, useEffect, useEffectEvent, useState } from "react";
import type { QueryInput } from "../../protocol/api.ts";
import type { SearchHit } from "../../protocol/search.ts";
import { toFailed, type Failed } from "../lib/use-load.ts";
import { usePage } from "../state/page.ts";

export type SearchState =
  | { readonly phase: "idle" }
  | { readonly phase: "searching" }
  | Failed
  | { readonly phase: "found"; readonly hits: readonly SearchHit[]; readonly limit: number };

const pauseMs = 180;
const usualLimit = 30;

/** Searches when typing pauses; outdated responses are dropped. Previous hits stay until the next ones arrive. */
export function useSearch(query: QueryInput<"search">, onAsk: () => void = nothing) {
  const { client } = usePage();
  const [state, setState] = useState<SearchState>({ phase: "idle" });
  const [turn, setTurn] = useState(0);
  /** The query that the state belongs to. */
  const [answered, setAnswered] = useState<string | null>(null);
  const key = query.q.trim() === "" ? null : JSON.stringify(query);
  const begin = useEffectEvent(onAsk);
  useEffect(() => {
    if (key === null) return setState({ phase: "idle" });
    const asked = JSON.parse(key) as QueryInput<"search">;
    const controller = new AbortController();
    setState((before) => (before.phase === "found" ? before : { phase: "searching" }));
    const settle = (next: SearchState) => {
      if (controller.signal.aborted) return;
      setState(next);
      setAnswered(key);
    };
    const timer = setTimeout(() => {
      begin();
      client.search({ params: {}, query: asked }, controller.signal).then(
        ({ hits }) => settle({ phase: "found", hits, limit: Number(asked.limit ?? usualLimit) }),
        (error: unknown) => settle(toFailed(error)),
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [client, key, turn]);
  const retry = useCallback(() => setTurn((before) => before + 1), []);
  return { state, isAsking: key !== null && key !== answered, retry } as const;
}

const nothing = (): void => undefined;
