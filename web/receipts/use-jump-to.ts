import { useCallback } from "react";
import { usePage } from "../state/page.ts";
import { toErrorText } from "../lib/use-load.ts";
import { useHasRoom } from "../ui/side-panel.tsx";

export type Jump = (target: { readonly messageId: string } | { readonly depth: number }) => void;

/** Scrolls to a message; a panel that covers the thread is closed. */
export function useJumpTo(threadId: string): Jump {
  const { client, goTo, sidePanel, errorMessage } = usePage();
  const hasRoom = useHasRoom();
  return useCallback(
    (target) => {
      const show = (messageId: string) => {
        if (!hasRoom) sidePanel.set(null);
        goTo(threadId, messageId);
      };
      if ("messageId" in target) return show(target.messageId);
      client.listMessages({ params: { threadId }, query: { before: target.depth + 1, limit: 1 } }).then(
        ({ messages }) => {
          if (messages[0]) show(messages[0].id);
        },
        (error: unknown) => errorMessage.set(toErrorText(error)),
      );
    },
    [client, goTo, sidePanel, errorMessage, hasRoom, threadId],
  );
}
