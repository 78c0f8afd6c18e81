import { useMemo } from "react";
import type { ThreadSummary } from "../../protocol/events.ts";
import { useSignal } from "../lib/signal.ts";
import { useLoad } from "../lib/use-load.ts";
import { usePage } from "../state/page.ts";

const none: readonly ThreadSummary[] = [];

/** A project's threads, newest first: those in the thread list, and the older ones from the server. */
export function useProjectThreads(projectId: string): readonly ThreadSummary[] {
  const { client, list, deletions } = usePage();
  const { view } = useSignal(list.state);
  const hidden = useSignal(deletions.hidden);
  const { state } = useLoad(projectId, (signal) =>
    client.listThreads({ params: {}, query: { projectId, limit: 50 } }, signal),
  );
  const older = state.phase === "ready" ? state.value.threads : none;
  return useMemo(() => {
    const known = new Map(older.map((thread) => [thread.id, thread]));
    for (const thread of view.threads) known.set(thread.id, thread);
    return [...known.values()]
      .filter(({ id, archived, ...thread }) => thread.projectId === projectId && !archived && !hidden.has(id))
      .toSorted((a, b) => b.updatedAt - a.updatedAt);
  }, [view, older, hidden, projectId]);
}
