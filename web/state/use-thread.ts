import type { ThreadSummary } from "../../protocol/events.ts";
import { useSelected } from "../lib/signal.ts";
import { usePage } from "./page.ts";

/** A thread from the list, or from its own feed if it is not listed. */
export function useThread(threadId: string): ThreadSummary | null {
  const { list, getFeed } = usePage();
  const listed = useSelected(list.state, ({ view }) => view.threads.find((thread) => thread.id === threadId));
  const own = useSelected(getFeed(threadId).state, (state) => (state.phase === "ready" ? state.view.thread : null));
  return listed ?? own;
}
