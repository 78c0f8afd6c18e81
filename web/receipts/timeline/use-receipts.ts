import { useCallback, useEffect, useRef, useState } from "react";
import { toErrorText, useLoad } from "../../lib/use-load.ts";
import { useSelected } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import { joinEarlier, joinNewest, type Receipts } from "./join-receipts.ts";

const firstPage = 60;
const nextPage = 120;
/** More would not be readable. */
export const mostShown = 600;
const none: Receipts["receipts"] = [];

type LoadState = "idle" | "loading" | { readonly failed: string };

/** The calls of a thread, newest first: one page at once, earlier ones on request. */
export function useReceipts(threadId: string) {
  const { client, getFeed } = usePage();
  const last = useSelected(getFeed(threadId).state, (state) =>
    state.phase === "ready" ? `${state.view.run?.id} ${state.view.run?.state}` : "",
  );
  const { state, reload } = useLoad(threadId, (signal) =>
    client.listReceipts({ params: { threadId }, query: { limit: firstPage } }, signal),
  );
  const shown = useRef(last);
  useEffect(() => {
    if (shown.current !== last) reload();
    shown.current = last;
  }, [last, reload]);
  const [known, setKnown] = useState<Receipts | null>(null);
  const [joined, setJoined] = useState<typeof state>();
  const [loading, setLoading] = useState<LoadState>("idle");
  // The newest page moves with each call: receipts that leave it are kept until another thread is opened.
  if (joined !== state) {
    setJoined(state);
    if (state.phase === "ready") setKnown(joinNewest(known, state.value));
    if (state.phase === "loading") setKnown(null);
  }
  const lines = known?.receipts ?? none;
  const before = known?.nextBefore ?? null;

  const loadEarlier = useCallback(async () => {
    if (before === null) return;
    setLoading("loading");
    try {
      const page = await client.listReceipts({ params: { threadId }, query: { limit: nextPage, before } });
      setKnown((now) => joinEarlier(now, before, page));
      setLoading("idle");
    } catch (error) {
      setLoading({ failed: toErrorText(error) });
    }
  }, [client, threadId, before]);

  return {
    state,
    lines,
    hasMore: before !== null && lines.length < mostShown,
    isLoading: loading === "loading",
    failed: typeof loading === "object" ? loading.failed : null,
    loadEarlier,
  } as const;
}
