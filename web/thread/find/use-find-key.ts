import { useEffect } from "react";
import { usePage } from "../../state/page.ts";
import { findFieldId } from "./find-bar.tsx";

/** Ctrl F finds in the thread. In the bar itself, in dialogs and in editors the key keeps its own meaning. */
export function useFindKey(threadId: string): void {
  const { finding } = usePage();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isFind = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
      if (event.defaultPrevented || !isFind || event.key.toLowerCase() !== "f") return;
      const target = event.target instanceof Element ? event.target : null;
      if (target?.closest("[role=dialog], [data-find-bar]")) return;
      event.preventDefault();
      finding.set(threadId);
      document.getElementById(findFieldId)?.focus();
    };
    addEventListener("keydown", onKeyDown);
    return () => {
      removeEventListener("keydown", onKeyDown);
      if (finding.get() === threadId) finding.set(null);
    };
  }, [finding, threadId]);
}
