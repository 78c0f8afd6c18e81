import { useCallback } from "react";
import { useFacts } from "./message-facts.ts";
import { usePage } from "../state/page.ts";
import type { Citation } from "../state/panels.ts";

/** Opens an artifact of this thread at the cited passage; null outside of a thread. */
export function useOpenArtifact(): ((ref: number, citation?: Citation) => void) | null {
  const { sidePanel } = usePage();
  const threadId = useFacts()?.threadId;
  const open = useCallback(
    (ref: number, citation?: Citation) => {
      if (threadId) sidePanel.set({ kind: "artifact", threadId, ref, citation: citation ?? null });
    },
    [sidePanel, threadId],
  );
  return threadId ? open : null;
}
