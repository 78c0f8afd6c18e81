import type { Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useEffectEvent, useState } from "react";
import type { Route } from "../state/route.ts";
import type { ThreadFeed } from "../state/thread-feed.ts";

const markMs = 2500;

type Options = {
  readonly feed: ThreadFeed;
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>;
  readonly route: Route;
  /** The message that is named does not stand on the active path. */
  readonly onMissing: () => void;
};

/** Brings the message that the address names into view, each time it is gone to, wherever it stands, and marks it for a moment. */
export function useJump({ feed, virtualizer, route, onMissing }: Options): string | null {
  const [reached, setReached] = useState<Route | null>(null);
  const [markedId, setMarkedId] = useState<string | null>(null);
  const { messageId } = route;
  const isSought = messageId !== null && route !== reached;
  const miss = useEffectEvent(onMissing);

  useEffect(() => {
    if (!isSought) return;
    let isWanted = true;
    void feed.find(messageId).then((depth) => {
      if (!isWanted) return;
      setReached(route);
      if (depth === null) return miss();
      virtualizer.scrollToIndex(depth - 1, { align: "start" });
      setMarkedId(messageId);
    });
    return () => {
      isWanted = false;
    };
  }, [feed, virtualizer, isSought, messageId, route]);

  useEffect(() => {
    if (markedId === null) return;
    const timer = setTimeout(() => setMarkedId(null), markMs);
    return () => clearTimeout(timer);
  }, [markedId]);
  return markedId;
}
