import { useCallback } from "react";
import { usePage } from "../state/page.ts";
import { toErrorText } from "../lib/use-load.ts";
import { useHasRoom } from "../ui/side-panel.tsx";

export type Jump = (place: { readonly messageId: string } | { readonly depth: number }) => void;

/** Shows a message of the thread. Where the panel lies over the thread, it makes way. */
export function useJumpTo(threadId: string): Jump {
  const { client, goTo, beside, trouble } = usePage();
  const hasRoom = useHasRoom();
  return useCallback(
    (place) => {
      const show = (messageId: string) => {
        if (!hasRoom) beside.set(null);
        goTo(threadId, messageId);
      };
      if ("messageId" in place) return show(place.messageId);
      client.listMessages({ params: { threadId }, query: { before: place.depth + 1, limit: 1 } }).then(
        ({ messages }) => {
          if (messages[0]) show(messages[0].id);
        },
        (error: unknown) => trouble.set(toErrorText(error)),
      );
    },
    [client, goTo, beside, trouble, hasRoom, threadId],
  );
}
