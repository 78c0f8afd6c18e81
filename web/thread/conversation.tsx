import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, LoaderCircle } from "lucide-react";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { EpochView } from "../../protocol/context/context.ts";
import type { ThreadView } from "../../protocol/fold.ts";
import { useCell } from "../state/cell.ts";
import { isStill } from "../state/look.ts";
import type { Outgoing } from "../state/outbox.ts";
import { usePage } from "../state/page.ts";
import type { ThreadFeed } from "../state/thread-feed.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { ConversationRow } from "./conversation-row.tsx";
import { toRows } from "./rows.ts";
import { useJump } from "./use-jump.ts";

type Props = {
  readonly threadId: string;
  readonly feed: ThreadFeed;
  readonly view: ThreadView;
  readonly earlier: "idle" | "loading" | "failed";
  readonly unsent: readonly Outgoing[];
  readonly epochs: readonly EpochView[];
};

const nearEndPx = 96;
const loaderPx = 56;
const estimatedRowPx = 160;

/**
 * The messages, only those near the window in the document. The end is the anchor: earlier pages arrive above without moving
 * what is read, and a growing answer is followed while its reader is at the end of it.
 */
export const Conversation = ({ threadId, feed, view, earlier, unsent, epochs }: Props) => {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => toRows(view, unsent, epochs), [view, unsent, epochs]);
  const hasEarlier = (view.messages[0]?.depth ?? 1) > 1;
  const [isAway, setAway] = useState(false);

  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: () => estimatedRowPx,
    initialRect: { width: innerWidth, height: innerHeight },
    initialOffset: Math.max(0, rows.length * estimatedRowPx - innerHeight),
    overscan: 4,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: nearEndPx,
    paddingStart: hasEarlier ? loaderPx : 12,
    paddingEnd: 24,
  });
  const items = virtualizer.getVirtualItems();
  const firstIndex = items[0]?.index ?? 0;

  useLayoutEffect(() => virtualizer.scrollToEnd(), [virtualizer]);
  const isShort = virtualizer.getTotalSize() < 2 * (scroller.current?.clientHeight ?? 0);
  const isNearTop = firstIndex <= 3 && (isAway || isShort);
  useEffect(() => {
    if (hasEarlier && isNearTop && earlier === "idle") void feed.loadEarlier();
  }, [feed, hasEarlier, isNearTop, earlier]);
  const lastUnsentId = unsent.at(-1)?.id;
  useEffect(() => {
    if (lastUnsentId) virtualizer.scrollToEnd();
  }, [virtualizer, lastUnsentId]);
  const markedId = useJump({ feed, rows, virtualizer, route: useCell(usePage().route) });

  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role="region"
        aria-label="Messages"
        tabIndex={0}
        onScroll={({ currentTarget: box }) => setAway(box.scrollHeight - box.scrollTop - box.clientHeight > nearEndPx)}
        className="h-full overflow-y-auto overscroll-contain [overflow-anchor:none] focus-visible:-outline-offset-2"
      >
        <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
          {rows.length === 0 && <p className="px-6 pt-[30dvh] text-center text-soft italic">No messages yet</p>}
          {hasEarlier && <Earlier state={earlier} onLoad={() => void feed.loadEarlier()} />}
          {items.map(({ index, key, start }) => {
            const row = rows[index];
            return row ? (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start}px)` }}
              >
                <ConversationRow
                  threadId={threadId}
                  row={row}
                  marked={row.key === markedId}
                  isLast={index === rows.length - 1}
                />
              </div>
            ) : null;
          })}
        </div>
      </div>
      {isAway && (
        <IconButton
          label="Scroll to the end"
          onClick={() => virtualizer.scrollToEnd({ behavior: isStill() ? "auto" : "smooth" })}
          className="absolute inset-x-0 bottom-3 mx-auto size-9 animate-rise rounded-full bg-raised text-ink shadow-float"
        >
          <ArrowDown aria-hidden="true" className="size-4.5" />
        </IconButton>
      )}
    </div>
  );
};

type EarlierProps = { readonly state: "idle" | "loading" | "failed"; readonly onLoad: () => void };

const Earlier = ({ state, onLoad }: EarlierProps) => (
  <div className="absolute inset-x-0 top-0 grid h-14 place-items-center text-sm text-soft">
    {state === "failed" ? (
      <button type="button" className="plain-button" onClick={onLoad}>
        Load earlier messages
      </button>
    ) : (
      <LoaderCircle aria-label="Loading earlier messages" className="size-4 animate-spin" />
    )}
  </div>
);
