import { useEffect, useState } from "react";
import type { SearchHit } from "../../protocol/api.ts";
import { usePage } from "../state/page.ts";

export type SearchState =
  | { readonly phase: "idle" }
  | { readonly phase: "searching" }
  | { readonly phase: "failed" }
  | { readonly phase: "found"; readonly hits: readonly SearchHit[] };

const pauseMs = 180;

/** Asks when the typing pauses; an answer to an older question is dropped. */
export function useSearch(query: string): SearchState {
  const { client } = usePage();
  const [state, setState] = useState<SearchState>({ phase: "idle" });
  const q = query.trim();
  useEffect(() => {
    if (q === "") return setState({ phase: "idle" });
    const controller = new AbortController();
    setState((before) => (before.phase === "found" ? before : { phase: "searching" }));
    const timer = setTimeout(() => {
      client.search({ params: {}, query: { q } }, controller.signal).then(
        ({ hits }) => controller.signal.aborted || setState({ phase: "found", hits }),
        () => controller.signal.aborted || setState({ phase: "failed" }),
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [client, q]);
  return state;
}
