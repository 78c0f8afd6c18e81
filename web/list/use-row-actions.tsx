import { Suspense, useMemo, useState, type ReactNode } from "react";
import type { ThreadSummary } from "../../protocol/events.ts";
import { usePage } from "../state/page.ts";
import { lazyChunk } from "../lib/lazy-chunk.ts";

const DeleteThread = lazyChunk(() => import("./delete-thread.tsx"));

export type RowActions = {
  readonly onRename: (threadId: string) => void;
  readonly onRenamed: (threadId: string, title: string | null) => void;
  readonly onPin: (thread: ThreadSummary) => void;
  readonly onArchive: (thread: ThreadSummary) => void;
  readonly onMove: (thread: ThreadSummary, projectId: string | null) => void;
  readonly onDelete: (thread: ThreadSummary) => void;
};

type Rows = {
  readonly actions: RowActions;
  readonly renamingId: string | null;
  /** Dialog to render with the rows. */
  readonly dialog: ReactNode;
};

/** Actions of the rows of one list; at most one row is being renamed or deleted. */
export function useRowActions(): Rows {
  const { threadActions } = usePage();
  const [renamingId, setRenamingId] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<ThreadSummary | null>(null);
  const actions = useMemo<RowActions>(
    () => ({
      onRename: setRenamingId,
      onRenamed: (threadId, title) => {
        setRenamingId(null);
        if (title) void threadActions.rename(threadId, title);
        focusRowSoon(threadId);
      },
      onPin: (thread) => void threadActions.pin(thread),
      onArchive: (thread) => void threadActions.archive(thread),
      onMove: (thread, projectId) => void threadActions.move(thread, projectId),
      onDelete: setDeleting,
    }),
    [threadActions],
  );
  const dialog = (
    <Suspense>
      {deleting && (
        <DeleteThread
          thread={deleting}
          onConfirm={(forget) => threadActions.remove(deleting, forget)}
          onClose={() => {
            setDeleting(null);
            focusRowSoon(deleting.id);
          }}
        />
      )}
    </Suspense>
  );
  return { actions, renamingId, dialog };
}

/** After the previous element is gone, unless something else has the focus by then. */
function focusRowSoon(threadId: string): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    document.querySelector<HTMLElement>(`[data-row="${CSS.escape(threadId)}"]`)?.focus();
  });
}
