import { useCallback, useEffect, useMemo, useState } from "react";
import { useDeferred } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { groupThreads, toMidnight } from "./group-threads.ts";
import { list as strings } from "../strings/list.ts";
import { actions } from "../strings/actions.ts";
import { VirtualRows } from "./virtual-rows.tsx";
import { useNow } from "../lib/use-now.ts";

type Props = { readonly archived: boolean };

/** All threads by last change, except those listed under their project. Older ones load while scrolling. */
export const ThreadList = ({ archived }: Props) => {
  const { list, projects, threadActions } = usePage();
  const { view, phase, cursors } = useDeferred(list.state);
  const projectState = useDeferred(projects.state);
  const kind = archived ? "archived" : "active";
  const today = toMidnight(useNow());
  const rows = useMemo(() => {
    const grouped = new Set(projectState.projects.flatMap((project) => (project.archived ? [] : [project.id])));
    const isGrouped = (projectId: string | null) =>
      !archived && projectId !== null && (projectState.phase === "loading" || grouped.has(projectId));
    const threads = view.threads.filter((thread) => thread.archived === archived && !isGrouped(thread.projectId));
    return groupThreads(threads, today);
  }, [view, archived, projectState, today]);

  const [hasFailed, setFailed] = useState(false);
  const cursor = cursors[kind];
  const isReady = phase === "ready";
  const loadMore = useCallback(async () => {
    if (isReady && cursor !== null) setFailed(!(await list.loadMore(kind)));
  }, [list, kind, cursor, isReady]);
  const onNearEnd = useCallback(() => {
    if (!hasFailed) void loadMore();
  }, [hasFailed, loadMore]);
  useEffect(() => {
    if (archived && cursor === undefined) void loadMore();
  }, [archived, cursor, loadMore]);
  const onDropped = (threadId: string) => {
    const thread = list.state.get().view.threads.find(({ id }) => id === threadId);
    if (thread) void threadActions.move(thread, null);
  };

  return (
    <VirtualRows
      key={kind}
      label={archived ? strings.archivedThreads : strings.threads}
      rows={rows}
      onNearEnd={onNearEnd}
      onDropped={archived ? null : onDropped}
    >
      {rows.length === 0 && !hasFailed && (
        <Empty archived={archived} phase={isReady && cursor !== null ? "loading" : phase} onRetry={() => list.wake()} />
      )}
      {hasFailed && (
        <button type="button" className="plain-button mx-auto mt-2 flex" onClick={() => void loadMore()}>
          {strings.loadOlder}
        </button>
      )}
    </VirtualRows>
  );
};

type EmptyProps = { readonly archived: boolean; readonly phase: string; readonly onRetry: () => void };

const Empty = ({ archived, phase, onRetry }: EmptyProps) => {
  if (phase === "loading") return <p className="px-3 py-6 text-sm text-soft">{strings.loading}</p>;
  if (phase === "ready")
    return <p className="px-3 py-6 text-sm text-soft">{archived ? strings.emptyArchive : strings.empty}</p>;
  return (
    <div className="grid justify-items-start gap-3 px-3 py-6 text-sm text-soft">
      <p>{strings.loadFailed}</p>
      <button type="button" className="plain-button" onClick={onRetry}>
        {actions.retry}
      </button>
    </div>
  );
};
