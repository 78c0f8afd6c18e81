import { lazy, Suspense, useCallback, useMemo, useState } from "react";
import type { ThreadSummary } from "../../protocol/events.ts";
import { useSelected } from "../state/cell.ts";
import { usePage } from "../state/page.ts";
import { ThreadRow, type RowActions } from "./thread-row.tsx";
import { useNow } from "./use-now.ts";

const DeleteThread = lazy(() => import("./delete-thread.tsx"));

/** Threads one below the other, with all that can be done to them. */
export const ThreadRows = ({ threads }: { readonly threads: readonly ThreadSummary[] }) => {
  const selectedId = useSelected(usePage().route, (route) => route.threadId);
  const now = useNow();
  const { actions, renamingId, deleting, closeDelete, confirmDelete } = useRowActions(selectedId);
  return (
    <>
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
      <Suspense>
        {deleting && <DeleteThread thread={deleting} onConfirm={confirmDelete} onClose={closeDelete} />}
      </Suspense>
    </>
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
