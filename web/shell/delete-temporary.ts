import { useEffect } from "react";
import { ResponseError } from "../../protocol/client.ts";
import { usePage, type Page } from "../state/page.ts";
import { shell as strings } from "../strings/shell.ts";

/** Temporary threads whose page was closed or reloaded, in browser storage. */
const closedKey = "temporary.closed.";
/** The one of this tab, which a reload keeps. */
const tabKey = "stonechat.temporary";

/**
 * Deletes a temporary thread some seconds after the user leaves it, unless that is undone. Opening the settings does not count
 * as leaving. A page does not know if it is closed or reloaded: after a reload the thread is kept, and a thread whose page was
 * closed is deleted by the next page of this browser. The server deletes temporary threads after a day at the latest.
 */
export function useDeleteTemporary(): void {
  const page = usePage();
  useEffect(() => {
    const { route, storage } = page;
    let shown = route.get().threadId;
    deleteClosed(page, shown);
    const onRoute = () => {
      const { threadId, settings } = route.get();
      if (settings !== null || threadId === shown) return;
      const left = shown;
      shown = threadId;
      if (threadId !== null) page.toasts.undo(toToastId(threadId));
      if (left !== null && isTemporary(page, left)) leave(page, left);
    };
    const onHide = () => {
      if (shown === null || !isTemporary(page, shown)) return;
      storage.set(closedKey + shown, "1");
      sessionStorage.setItem(tabKey, shown);
    };
    // The page was restored from the browser's cache of pages.
    const onShow = () => {
      if (shown !== null) storage.set(closedKey + shown, null);
    };
    const unsubscribe = route.subscribe(onRoute);
    addEventListener("pagehide", onHide);
    addEventListener("pageshow", onShow);
    return () => {
      unsubscribe();
      removeEventListener("pagehide", onHide);
      removeEventListener("pageshow", onShow);
    };
  }, [page]);
}

const toToastId = (threadId: string): string => `temporary ${threadId}`;

function leave({ toasts, outbox, drafts, commands, goTo }: Page, threadId: string): void {
  toasts.show({
    id: toToastId(threadId),
    text: strings.temporaryDeleted,
    onUndo: () => goTo(threadId),
    onDismiss: () => {
      for (const item of outbox.items.get()) if (item.threadId === threadId) outbox.discard(item.id);
      drafts.of(threadId).forget();
      void commands.deleteThread(threadId, false);
    },
  });
}

function deleteClosed({ storage, drafts, client }: Page, shown: string | null): void {
  const own = sessionStorage.getItem(tabKey);
  for (const key of storage.keys(closedKey)) {
    const threadId = key.slice(closedKey.length);
    const forget = () => storage.set(key, null);
    if (threadId === own && threadId === shown) {
      forget();
      continue;
    }
    drafts.of(threadId).forget();
    void deleteIfTemporary(client, threadId).then(forget, (error: unknown) => {
      // Otherwise the next page tries again.
      if (error instanceof ResponseError && error.status === 404) forget();
    });
  }
}

/** The user may have chosen to keep it in the meantime. */
async function deleteIfTemporary(client: Page["client"], threadId: string): Promise<void> {
  const { thread } = await client.getThread({ params: { threadId }, query: { limit: 1 } });
  if (thread.temporary) await client.deleteThread({ params: { threadId } });
}

function isTemporary({ getFeed, outbox }: Page, threadId: string): boolean {
  const state = getFeed(threadId).state.get();
  if (state.phase === "ready" && state.view.thread) return state.view.thread.temporary;
  // Reloaded and not yet known again.
  if (sessionStorage.getItem(tabKey) === threadId) return true;
  return outbox.items.get().some((item) => item.threadId === threadId && item.create?.temporary === true);
}
