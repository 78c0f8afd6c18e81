import { useCallback } from "react";
import { useFacts } from "./message-facts.ts";
import { usePage } from "../state/page.ts";
import type { Citation } from "../state/panels.ts";

/** Opens a kept text of this thread beside it, at the passage that is cited; null where there is no thread to speak of. */
export function useOpenArtifact(): ((ref: number, citation?: Citation) => void) | null {
  const { beside } = usePage();
  const threadId = useFacts()?.threadId;
  const open = useCallback(
    (ref: number, citation?: Citation) => {
      if (threadId) beside.set({ kind: "kept", threadId, ref, citation: citation ?? null });
    },
    [beside, threadId],
  );
  return threadId ? open : null;
}
