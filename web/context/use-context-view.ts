import { useEffect } from "react";
import type { ContextView } from "../../protocol/context/context.ts";
import { useSignal } from "../state/cell.ts";
import { usePage } from "../state/page.ts";
import type { Loaded } from "../ui/loaded.ts";

/** What stands behind the prompts of a thread, kept fresh by its stream. */
export function useContextView(threadId: string): { readonly state: Loaded<ContextView>; readonly reload: () => void } {
  const feed = usePage().getContext(threadId);
  const state = useSignal(feed.state);
  useEffect(() => {
    if (feed.state.get().phase !== "ready") void feed.load();
  }, [feed]);
  return { state, reload: () => void feed.load() };
}
