import type { Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useState } from "react";
import type { Route } from "../state/route.ts";
import type { ThreadFeed } from "../state/thread-feed.ts";
import type { Row } from "./rows.ts";

const pageSize = 200;
const markMs = 2500;

type Options = {
  readonly feed: ThreadFeed;
  readonly rows: readonly Row[];
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>;
  readonly route: Route;
};

/** Brings the message that the address names into view, each time it is gone to, loading earlier pages until it is there, and marks it for a moment. */
export function useJump({ feed, rows, virtualizer, route }: Options): string | null {
  const [reached, setReached] = useState<Route | null>(null);
  const [markedId, setMarkedId] = useState<string | null>(null);
  const { messageId } = route;
  const index = messageId === null ? -1 : rows.findIndex((row) => row.key === messageId);
  const isSought = messageId !== null && route !== reached;

  useEffect(() => {
    if (isSought && index < 0) void feed.loadEarlier(pageSize);
  }, [feed, isSought, index, rows]);

  useEffect(() => {
    if (!isSought || index < 0) return;
    virtualizer.scrollToIndex(index, { align: "start" });
    setReached(route);
    setMarkedId(messageId);
  }, [virtualizer, isSought, index, messageId, route]);

  useEffect(() => {
    if (markedId === null) return;
    const timer = setTimeout(() => setMarkedId(null), markMs);
    return () => clearTimeout(timer);
  }, [markedId]);
  return markedId;
}
