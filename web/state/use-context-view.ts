import { useEffect } from "react";
import type { ContextView } from "../../protocol/context/context.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "./page.ts";
import type { LoadState } from "../lib/use-load.ts";

/** A thread's prompt context, kept up to date by its stream. */
export function useContextView(threadId: string): {
  readonly state: LoadState<ContextView>;
  readonly reload: () => void;
} {
  const feed = usePage().getContext(threadId);
  const state = useSignal(feed.state);
  useEffect(() => {
    if (feed.state.get().phase !== "ready") void feed.load();
  }, [feed]);
  return { state, reload: () => void feed.load() };
}
