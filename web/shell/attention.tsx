import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { ThreadSummary } from "../../protocol/events.ts";
import { isUnread } from "../../protocol/list-fold.ts";
import { groupDigits } from "../lib/format.ts";
import { useSelected } from "../lib/signal.ts";
import { keepPush } from "../state/device/push.ts";
import { startWorker } from "../state/device/worker.ts";
import { usePage } from "../state/page.ts";
import { toPath } from "../state/route.ts";
import { notify as strings } from "../strings/notify.ts";
import { shell } from "../strings/shell.ts";
import { IconButton } from "../ui/icon-button.tsx";

const needsUser = (thread: ThreadSummary): boolean =>
  !thread.archived && (thread.status === "waiting" || isUnread(thread));

/** How many threads wait for the user or have an answer that was not read, also on the icon of an installed page. */
function useAttentionCount(): number {
  const { list } = usePage();
  const count = useSelected(list.state, ({ view }) => view.threads.filter(needsUser).length);
  useEffect(() => {
    // Rejected by browsers that show no badge for this page.
    navigator.setAppBadge?.(count).catch(() => undefined);
  }, [count]);
  return count;
}

/** Sets the document title: the count and the page's title. */
export function useTabTitle(title: string): void {
  const count = useAttentionCount();
  useEffect(() => {
    document.title = count === 0 ? title : strings.tabTitle(groupDigits(count), title);
  }, [title, count]);
}

const shownMs = 10_000;

type Ready = { readonly threadId: string; readonly text: string };

/** Says that a thread which is not open has an answer or waits for the user, and that a new version of the page is ready. */
export const AttentionNotes = () => {
  const page = usePage();
  const { list, route } = page;
  const [ready, setReady] = useState<Ready | null>(null);
  const [hasUpdate, setUpdate] = useState(false);
  useEffect(() => {
    startWorker(page, () => setUpdate(true));
    void keepPush(page).catch(() => undefined);
  }, [page]);
  const before = useRef<ReadonlyMap<string, ThreadSummary["status"]>>(new Map());
  useEffect(() => {
    const look = () => {
      const { threads } = list.state.get().view;
      const shown = route.get().threadId;
      for (const thread of threads) {
        const was = before.current.get(thread.id);
        if (was !== "streaming" || thread.status === "streaming" || thread.id === shown) continue;
        if (needsUser(thread)) setReady({ threadId: thread.id, text: describe(thread) });
      }
      before.current = new Map(threads.map(({ id, status }) => [id, status]));
    };
    look();
    return list.state.subscribe(look);
  }, [list, route]);
  useEffect(() => {
    if (!ready) return;
    const timer = setTimeout(() => setReady(null), shownMs);
    // Opened in another way.
    const release = route.subscribe(() => route.get().threadId === ready.threadId && setReady(null));
    return () => {
      clearTimeout(timer);
      release();
    };
  }, [ready, route]);
  return (
    <div
      role="status"
      className="fixed inset-x-4 top-[calc(3.5rem+env(safe-area-inset-top))] z-40 mx-auto grid w-fit max-w-lg gap-2"
    >
      {ready && (
        <p className={noteClass}>
          <span dir="auto" className="line-clamp-2 min-w-0 flex-1 wrap-anywhere">
            {ready.text}
          </span>
          <a href={toPath(ready.threadId)} className={linkClass}>
            {strings.ready.open}
          </a>
          <IconButton label={shell.dismiss} className="size-8" onClick={() => setReady(null)}>
            <X aria-hidden="true" className="size-4" />
          </IconButton>
        </p>
      )}
      {hasUpdate && (
        <p className={noteClass}>
          <span className="min-w-0 flex-1">{strings.update.text}</span>
          <button type="button" className={linkClass} onClick={() => location.reload()}>
            {strings.update.reload}
          </button>
          <IconButton label={shell.dismiss} className="size-8" onClick={() => setUpdate(false)}>
            <X aria-hidden="true" className="size-4" />
          </IconButton>
        </p>
      )}
    </div>
  );
};

const noteClass = "flex animate-rise items-center gap-1 rounded-2xl bg-raised py-1.5 ps-4 pe-1.5 text-sm shadow-float";
const linkClass = "plain-button min-h-8 bg-transparent px-2.5 text-accent pointer-coarse:min-h-10";

function describe({ title, status }: ThreadSummary): string {
  if (status === "waiting") return strings.ready.waiting(title);
  return status === "error" ? strings.ready.failed(title) : strings.ready.answered(title);
}
