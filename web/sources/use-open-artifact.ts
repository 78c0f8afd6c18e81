import { useCallback } from "react";
import { useFacts } from "./message-facts.ts";
import { usePage } from "../state/page.ts";
import type { Citation } from "../state/panels.ts";

/** Opens an artifact of this thread at the cited passage; null outside of a thread. */
export function useOpenArtifact(): ((ref: number, shownRef?: number, citation?: Citation) => void) | null {
  const { sidePanel } = usePage();
  const threadId = useFacts()?.threadId;
  const open = useCallback(
    (ref: number, shownRef = ref, citation?: Citation) => {
      if (threadId) sidePanel.set({ kind: "artifact", threadId, ref, shownRef, citation: citation ?? null });
    },
    [sidePanel, threadId],
  );
  return threadId ? open : null;
}
