import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import type { ThreadSummary } from "../../protocol/events.ts";
import { useDeferred, useSelected } from "../state/cell.ts";
import { usePage } from "../state/page.ts";
import { moveAmongRows } from "./row-keys.ts";
import { ThreadRow, type RowActions } from "./thread-row.tsx";
import { useNow } from "./use-now.ts";

const DeleteThread = lazy(() => import("./delete-thread.tsx"));

type Props = { readonly archived: boolean };

export const ThreadList = ({ archived }: Props) => {
  const page = usePage();
  const { view, phase, cursors } = useDeferred(page.list.state);
  const selectedId = useSelected(page.route, (route) => route.threadId);
  const now = useNow();
  const { actions, renamingId, deleting, closeDelete, confirmDelete } = useRowActions(selectedId);
  const kind = archived ? "archived" : "active";
  const threads = useMemo(() => view.threads.filter((thread) => thread.archived === archived), [view, archived]);

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
      <ul className="grid gap-0.5">
        {threads.map((thread) => (
          <li key={thread.id} className="min-w-0 [contain-intrinsic-size:auto_3.5rem] [content-visibility:auto]">
            <ThreadRow
              thread={thread}
              now={now}
              selected={thread.id === selectedId}
              renaming={thread.id === renamingId}
              actions={actions}
            />
          </li>
        ))}
      </ul>
      {cursors[kind] && (
        <button type="button" className="plain-button mx-auto mt-2 flex" onClick={() => void page.list.loadMore(kind)}>
          Older threads
        </button>
      )}
      <Suspense>
        {deleting && <DeleteThread thread={deleting} onConfirm={confirmDelete} onClose={closeDelete} />}
      </Suspense>
    </nav>
  );
};

function useRowActions(selectedId: string | null) {
  const { commands, goTo } = usePage();
  const [renamingId, setRenamingId] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<ThreadSummary | null>(null);
  const actions = useMemo<RowActions>(
    () => ({
      onRename: setRenamingId,
      onRenamed: (threadId, title) => {
        setRenamingId(null);
        if (title) void commands.changeThread(threadId, { title });
        requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-row="${threadId}"]`)?.focus());
      },
      onPin: (thread) => void commands.changeThread(thread.id, { pinned: !thread.pinned }),
      onArchive: (thread) => void commands.changeThread(thread.id, { archived: !thread.archived }),
      onDelete: setDeleting,
    }),
    [commands],
  );
  const closeDelete = useCallback(() => setDeleting(null), []);
  const confirmDelete = useCallback(
    (forget: boolean) => {
      if (!deleting) return;
      void commands.deleteThread(deleting.id, forget);
      if (deleting.id === selectedId) goTo(null);
    },
    [commands, goTo, deleting, selectedId],
  );
  return { actions, renamingId, deleting, closeDelete, confirmDelete };
}

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
