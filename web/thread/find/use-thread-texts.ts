import { useEffect, useMemo, useState } from "react";
import type { ThreadView } from "../../../protocol/fold.ts";
import { usePage } from "../../state/page.ts";
import { toFoundText, type FoundText } from "./find-hits.ts";

const pageSize = 200;

/**
 * The texts of all messages of the active path, in order. Messages before the live end are loaded from the newest to the oldest
 * while the bar is open; only their texts are kept.
 */
export function useThreadTexts(threadId: string, { messages }: ThreadView) {
  const { client } = usePage();
  const first = messages[0];
  const [earlier, setEarlier] = useState<readonly FoundText[]>([]);
  const [phase, setPhase] = useState<"loading" | "ready" | "failed">("loading");
  const [round, setRound] = useState(0);
  const [firstId, firstDepth] = [first?.id, first?.depth ?? 1];
  useEffect(() => {
    const stop = new AbortController();
    const load = async () => {
      for (let before = firstDepth; before > 1;) {
        const query = { before, limit: pageSize };
        const page = await client.listMessages({ params: { threadId }, query }, stop.signal);
        if (stop.signal.aborted) return;
        const texts = page.messages.map(toFoundText);
        before = texts[0]?.depth ?? 1;
        setEarlier((known) => [...texts, ...known]);
      }
      setPhase("ready");
    };
    setEarlier([]);
    setPhase("loading");
    load().catch(() => {
      if (!stop.signal.aborted) setPhase("failed");
    });
    return () => stop.abort();
  }, [client, threadId, firstId, firstDepth, round]);
  const texts = useMemo(() => [...earlier, ...messages.map(toFoundText)], [earlier, messages]);
  return { texts, phase, retry: () => setRound(round + 1) };
}
