import { useEffect } from "react";
import { usePage, type Page } from "../state/page.ts";

/**
 * A temporary thread goes when it is left: for another place of the page, or with the page itself. The settings are no other
 * place: one comes back from them. What a dying page cannot delete, the server does a day later.
 */
export function useLeaving(): void {
  const page = usePage();
  useEffect(() => {
    const { route, commands, drafts, outbox, note } = page;
    let shown = route.get().threadId;
    const leave = (threadId: string) => {
      for (const item of outbox.items.get()) if (item.threadId === threadId) outbox.discard(item.id);
      drafts.of(threadId).forget();
      void commands.deleteThread(threadId, false).then((isDone) => {
        if (isDone) note.set("The temporary thread is gone.");
      });
    };
    const onRoute = () => {
      const { threadId, settings } = route.get();
      if (settings !== null || threadId === shown) return;
      const left = shown;
      shown = threadId;
      if (left !== null && isTemporary(page, left)) leave(left);
    };
    const onHide = () => {
      if (shown === null || !isTemporary(page, shown)) return;
      drafts.of(shown).forget();
      void commands.deleteThread(shown, false);
    };
    const unsubscribe = route.subscribe(onRoute);
    addEventListener("pagehide", onHide);
    return () => {
      unsubscribe();
      removeEventListener("pagehide", onHide);
    };
  }, [page]);
}

function isTemporary({ getFeed, outbox }: Page, threadId: string): boolean {
  const state = getFeed(threadId).state.get();
  if (state.phase === "ready" && state.view.thread) return state.view.thread.temporary;
  return outbox.items.get().some((item) => item.threadId === threadId && item.create?.temporary === true);
}
