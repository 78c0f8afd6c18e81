import { useEffect, useMemo, useState } from "react";
import type { ThreadSummary } from "../../protocol/events.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";

/** Those that the page knows already, and those of the project that are older. */
export function useProjectThreads(projectId: string): readonly ThreadSummary[] {
  const { client, list, deletions } = usePage();
  const { view } = useSignal(list.state);
  const hidden = useSignal(deletions.hidden);
  const [older, setOlder] = useState<readonly ThreadSummary[]>([]);
  useEffect(() => {
    const asking = new AbortController();
    client.listThreads({ params: {}, query: { projectId, limit: 50 } }, asking.signal).then(
      ({ threads }) => setOlder(threads),
      () => undefined,
    );
    return () => asking.abort();
  }, [client, projectId]);
  return useMemo(() => {
    const known = new Map(older.map((thread) => [thread.id, thread]));
    for (const thread of view.threads) known.set(thread.id, thread);
    return [...known.values()]
      .filter(({ id, archived, ...thread }) => thread.projectId === projectId && !archived && !hidden.has(id))
      .toSorted((a, b) => b.updatedAt - a.updatedAt);
  }, [view, older, hidden, projectId]);
}
