import { useEffect, useMemo } from "react";
import { useDeferred } from "../state/cell.ts";
import { usePage } from "../state/page.ts";
import { moveAmongRows } from "./row-keys.ts";
import { ThreadRows } from "./thread-rows.tsx";

type Props = { readonly archived: boolean };

export const ThreadList = ({ archived }: Props) => {
  const page = usePage();
  const { view, phase, cursors } = useDeferred(page.list.state);
  const projects = useDeferred(page.projects.state);
  const kind = archived ? "archived" : "active";
  const threads = useMemo(() => {
    const grouped = new Set(projects.projects.flatMap((project) => (project.archived ? [] : [project.id])));
    // Those of a project stand below it.
    const isGrouped = (projectId: string | null) =>
      !archived && projectId !== null && (projects.phase === "loading" || grouped.has(projectId));
    return view.threads.filter((thread) => thread.archived === archived && !isGrouped(thread.projectId));
  }, [view, archived, projects]);

  useEffect(() => {
    if (archived && cursors.archived === undefined && phase === "ready") void page.list.loadMore("archived");
  }, [page, archived, cursors.archived, phase]);

  return (
    <nav
      aria-label={archived ? "Archived threads" : "Threads"}
      onKeyDown={moveAmongRows}
      className="min-h-0 flex-1 overflow-y-auto px-2 pb-4"
    >
      {threads.length === 0 && <Empty archived={archived} phase={phase} onRetry={() => page.list.wake()} />}
      <ThreadRows threads={threads} />
      {cursors[kind] && (
        <button type="button" className="plain-button mx-auto mt-2 flex" onClick={() => void page.list.loadMore(kind)}>
          Older threads
        </button>
      )}
    </nav>
  );
};

type EmptyProps = { readonly archived: boolean; readonly phase: string; readonly onRetry: () => void };

const Empty = ({ archived, phase, onRetry }: EmptyProps) => {
  if (phase === "loading") return <p className="px-3 py-6 text-sm text-soft">Loading threads…</p>;
  if (phase === "ready")
    return <p className="px-3 py-6 text-sm text-soft">{archived ? "Nothing is archived." : "No threads yet."}</p>;
  return (
    <div className="grid justify-items-start gap-3 px-3 py-6 text-sm text-soft">
      <p>The threads could not be loaded.</p>
      <button type="button" className="plain-button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
};
