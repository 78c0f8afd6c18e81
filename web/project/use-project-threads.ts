import { useEffect, useMemo } from "react";
import type { ThreadSummary } from "../../protocol/events.ts";
import { useSignal } from "../lib/signal.ts";
import { useLoad } from "../lib/use-load.ts";
import { usePage } from "../state/page.ts";
import { getOpenProject } from "../state/project/project-context.ts";

const none: readonly ThreadSummary[] = [];

/** A project's threads, newest first: those in the thread list, and the older ones from the server. */
export function useProjectThreads(projectId: string): readonly ThreadSummary[] {
  const page = usePage();
  const { client, list, deletions } = page;
  const { view } = useSignal(list.state);
  const hidden = useSignal(deletions.hidden);
  const { state, reload } = useLoad(projectId, (signal) =>
    client.listThreads({ params: {}, query: { projectId, limit: 50 } }, signal),
  );
  // Counted only while the project's page is open.
  const changes = useSignal(getOpenProject(page, projectId).feed.threads);
  useEffect(() => {
    if (changes > 0) reload();
  }, [changes, reload]);
  const older = state.phase === "ready" ? state.value.threads : none;
  return useMemo(() => {
    const known = new Map(older.map((thread) => [thread.id, thread]));
    for (const thread of view.threads) known.set(thread.id, thread);
    return [...known.values()]
      .filter(({ id, archived, ...thread }) => thread.projectId === projectId && !archived && !hidden.has(id))
      .toSorted((a, b) => b.updatedAt - a.updatedAt);
  }, [view, older, hidden, projectId]);
}
