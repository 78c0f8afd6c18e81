import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ReceiptLine } from "../../../protocol/context/context-api.ts";
import { toFailure } from "../../frame/loaded.ts";
import { useLoad } from "../../frame/use-load.ts";
import { useSelected } from "../../state/cell.ts";
import { usePage } from "../../state/page.ts";

const firstPage = 60;
const nextPage = 120;
/** More would be no picture. */
export const mostShown = 600;

type Earlier = {
  readonly lines: readonly ReceiptLine[];
  /** null: there are none. */
  readonly before: string | null;
  readonly state: "idle" | "asking" | { readonly failed: string };
};

/** The calls of a thread, the newest first: some at once, those before them when they are asked for. */
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
  const [earlier, setEarlier] = useState<Earlier | null>(null);
  const newest = state.phase === "ready" ? state.value : null;
  const before = earlier ? earlier.before : (newest?.nextBefore ?? null);
  const held = earlier?.lines;
  const lines = useMemo(() => {
    const known = new Set(held?.map(({ id }) => id));
    return [...(newest?.receipts ?? []).filter(({ id }) => !known.has(id)), ...(held ?? [])];
  }, [newest, held]);

  const loadEarlier = useCallback(async () => {
    if (before === null) return;
    setEarlier((was) => ({ lines: was?.lines ?? [], before, state: "asking" }));
    try {
      const page = await client.listReceipts({ params: { threadId }, query: { limit: nextPage, before } });
      setEarlier((was) => ({
        lines: [...(was?.lines ?? []), ...page.receipts],
        before: page.nextBefore,
        state: "idle",
      }));
    } catch (error) {
      setEarlier((was) => ({ lines: was?.lines ?? [], before, state: { failed: toFailure(error) } }));
    }
  }, [client, threadId, before]);

  return {
    state,
    lines,
    hasMore: before !== null && lines.length < mostShown,
    isAsking: earlier?.state === "asking",
    failed: typeof earlier?.state === "object" ? earlier.state.failed : null,
    loadEarlier,
  } as const;
}
