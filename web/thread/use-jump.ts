import type { Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useState } from "react";
import type { ThreadFeed } from "../state/thread-feed.ts";
import type { Row } from "./rows.ts";

const pageSize = 200;
const markMs = 2500;

type Options = {
  readonly feed: ThreadFeed;
  readonly rows: readonly Row[];
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>;
  readonly messageId: string | null;
};

/** Brings the message that the address names into view, loading earlier pages until it is there, and marks it for a moment. */
export function useJump({ feed, rows, virtualizer, messageId }: Options): string | null {
  const [reachedId, setReachedId] = useState<string | null>(null);
  const [markedId, setMarkedId] = useState<string | null>(null);
  const index = messageId === null ? -1 : rows.findIndex((row) => row.key === messageId);
  const isSought = messageId !== null && messageId !== reachedId;

  useEffect(() => {
    if (isSought && index < 0) void feed.loadEarlier(pageSize);
  }, [feed, isSought, index, rows]);

  useEffect(() => {
    if (!isSought || index < 0) return;
    virtualizer.scrollToIndex(index, { align: "start" });
    setReachedId(messageId);
    setMarkedId(messageId);
  }, [virtualizer, isSought, index, messageId]);

  useEffect(() => {
    if (markedId === null) return;
    const timer = setTimeout(() => setMarkedId(null), markMs);
    return () => clearTimeout(timer);
  }, [markedId]);
  return markedId;
}
