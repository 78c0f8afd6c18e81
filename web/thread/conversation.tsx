import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import {
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useEffectEvent,
  type RefObject,
  type UIEvent,
} from "react";
import type { CompactionView } from "../../protocol/context/context.ts";
import type { ThreadView } from "../../protocol/fold.ts";
import { useSignal } from "../lib/signal.ts";
import type { History } from "../state/history.ts";
import type { Outgoing } from "../state/outbox.ts";
import { usePage } from "../state/page.ts";
import type { ThreadFeed } from "../state/thread-feed.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { actions } from "../strings/actions.ts";
import { thread } from "../strings/thread.ts";
import { ConversationRow } from "./conversation-row.tsx";
import { FindBar } from "./find/find-bar.tsx";
import { useFindKey } from "./find/use-find-key.ts";
import { groupCompactions, toRows } from "./rows.ts";
import type { Route } from "../state/route.ts";

type Props = {
  readonly threadId: string;
  readonly feed: ThreadFeed;
  readonly view: ThreadView;
  readonly history: History;
  readonly unsent: readonly Outgoing[];
  readonly compactions: readonly CompactionView[];
};

const strings = thread.messages;
const nearEndPx = 96;
const estimatedRowPx = 160;
const endAnchored = {
  ...{ overscan: 4, paddingStart: 12, paddingEnd: 24 },
  ...({ anchorTo: "end", followOnAppend: true, scrollEndThreshold: nearEndPx } as const),
};

/**
 * The messages as a virtual list: only those near the viewport are in the document. Rows are indexed by depth, so the scroll
 * bar covers the whole thread. Anchored at the end; a growing answer is followed while the reader is at the end.
 */
const Conversation = ({ threadId, feed, view, history, unsent, compactions }: Props) => {
  const scroller = useRef<HTMLDivElement>(null);
  const grouped = useMemo(() => groupCompactions(compactions), [compactions]);
  const rows = useMemo(() => toRows({ view, history, unsent, compactions: grouped }), [view, history, unsent, grouped]);

  const virtualizer = useVirtualizer({
    count: rows.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimatedRowPx,
    initialRect: { width: innerWidth, height: innerHeight },
    initialOffset: Math.max(0, rows.count * estimatedRowPx - innerHeight),
    ...endAnchored,
  });
  const items = virtualizer.getVirtualItems();
  const from = (items[0]?.index ?? 0) + 1;
  const to = (items.at(-1)?.index ?? 0) + 1;

  const total = virtualizer.getTotalSize();
  const anchor = useEndAnchor({ scroller, virtualizer, total });
  useEffect(() => feed.setVisible({ from, to }), [feed, from, to]);
  const lastUnsentId = unsent.at(-1)?.id;
  useEffect(() => {
    if (lastUnsentId) virtualizer.scrollToEnd();
  }, [virtualizer, lastUnsentId]);
  const { route, errorMessage, finding } = usePage();
  const isFinding = useSignal(finding) === threadId;
  useFindKey(threadId);
  const onMissing = () => errorMessage.set(strings.inOtherVariant);
  const markedId = useJump({ feed, virtualizer, route: useSignal(route), onMissing });

  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role="region"
        aria-label={strings.label}
        tabIndex={0}
        onKeyDown={(event) => {
          if (event.target !== event.currentTarget) return;
          // The browser's smooth scrolling would animate over rows that are not measured yet.
          if (event.key === "Home") virtualizer.scrollToIndex(0, { align: "start" });
          else if (event.key === "End") virtualizer.scrollToEnd();
          else return;
          event.preventDefault();
        }}
        {...anchor.handlers}
        className="wide-tables @container h-full overflow-y-auto overscroll-contain [overflow-anchor:none] focus-visible:-outline-offset-2"
      >
        <div className="relative w-full" style={{ height: total }}>
          {rows.count === 0 && <p className="px-6 pt-[30dvh] text-center text-soft italic">{strings.empty}</p>}
          {items.map(({ index, key, start }) => {
            const row = rows.at(index);
            return row ? (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start}px)` }}
              >
                <ConversationRow
                  key={row.key}
                  threadId={threadId}
                  row={row}
                  marked={row.key === markedId}
                  isLast={index === rows.count - 1}
                />
              </div>
            ) : null;
          })}
        </div>
      </div>
      {isFinding && (
        <FindBar
          threadId={threadId}
          view={view}
          scroller={scroller}
          onScrollTo={(index) => {
            anchor.leave();
            virtualizer.scrollToIndex(index, { align: "center" });
          }}
          onClose={() => finding.set(null)}
        />
      )}
      {history.failed && <NotLoaded onRetry={feed.retry} />}
      {anchor.isAway && (
        <IconButton
          label={strings.scrollToEnd}
          onClick={anchor.goToEnd}
          className="absolute inset-x-0 bottom-3 mx-auto size-9 animate-rise rounded-full bg-raised text-ink shadow-float"
        >
          <ArrowDown aria-hidden="true" className="size-4.5" />
        </IconButton>
      )}
    </div>
  );
};

type AnchorOptions = {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>;
  /** Height of all rows. */
  readonly total: number;
};

/** Follows a growing answer while the reader is at the end, and shows a new question from its start. */
function useEndAnchor({ scroller, virtualizer, total }: AnchorOptions) {
  const [isAway, setAway] = useState(false);
  const isAtEnd = useRef(true);
  // Rows also grow when a formula, diagram or picture has loaded.
  const shownQuestion = useRef<Element | null>(null);
  const seenQuestions = useRef(new WeakSet<Element>());
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const question = findTallQuestion(box);
    const isNew = question && !seenQuestions.current.has(question);
    if (isNew && (isAtEnd.current || shownQuestion.current === question)) {
      // Rows that are measured later would move it again, so it is shown until the user scrolls, types or clicks.
      shownQuestion.current = question;
      isAtEnd.current = false;
      showFromStart(box, question);
    } else if (isAtEnd.current) virtualizer.scrollToEnd();
  }, [scroller, virtualizer, total]);
  const onMove = () => {
    if (shownQuestion.current) seenQuestions.current.add(shownQuestion.current);
    shownQuestion.current = null;
  };
  const onScroll = ({ currentTarget: box }: UIEvent<HTMLElement>) => {
    isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight <= nearEndPx;
    setAway(!isAtEnd.current);
  };
  return {
    isAway,
    /** Event handlers of the scrolling element. */
    handlers: { onWheel: onMove, onTouchMove: onMove, onPointerDown: onMove, onKeyDownCapture: onMove, onScroll },
    leave: () => {
      isAtEnd.current = false;
    },
    goToEnd: () => {
      // A smooth scroll would chase the end of a growing answer without reaching it.
      isAtEnd.current = true;
      virtualizer.scrollToEnd();
    },
  };
}

const questionMarginPx = 12;

/** The newest question of the model, if it does not fit the view. */
function findTallQuestion(box: HTMLElement): Element | undefined {
  const form = [...box.querySelectorAll("[data-question]")].at(-1);
  return form && form.clientHeight > box.clientHeight - 2 * questionMarginPx ? form : undefined;
}

function showFromStart(box: HTMLElement, form: Element): void {
  box.scrollTop += form.getBoundingClientRect().top - box.getBoundingClientRect().top - questionMarginPx;
}

export default Conversation;

const NotLoaded = ({ onRetry }: { readonly onRetry: () => void }) => (
  <div
    role="alert"
    className="absolute inset-x-0 top-2 mx-auto flex w-fit items-center gap-3 rounded-xl bg-raised py-1 ps-3 pe-1 text-sm shadow-float"
  >
    {strings.loadFailed}
    <button type="button" className="plain-button" onClick={onRetry}>
      {actions.retry}
    </button>
  </div>
);

const markMs = 2500;

type Options = {
  readonly feed: ThreadFeed;
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>;
  readonly route: Route;
  /** The named message is not on the active path. */
  readonly onMissing: () => void;
};

/** Scrolls to the message in the URL's hash on each navigation, and marks it briefly. */
function useJump({ feed, virtualizer, route, onMissing }: Options): string | null {
  const [reached, setReached] = useState<Route | null>(null);
  const [markedId, setMarkedId] = useState<string | null>(null);
  const { messageId } = route;
  const isPending = messageId !== null && route !== reached;
  const miss = useEffectEvent(onMissing);

  useEffect(() => {
    if (!isPending) return;
    let isCurrent = true;
    void feed.find(messageId).then((depth) => {
      if (!isCurrent) return;
      setReached(route);
      if (depth === null) return miss();
      virtualizer.scrollToIndex(depth - 1, { align: "start" });
      setMarkedId(messageId);
    });
    return () => {
      isCurrent = false;
    };
  }, [feed, virtualizer, isPending, messageId, route]);

  useEffect(() => {
    if (markedId === null) return;
    const timer = setTimeout(() => setMarkedId(null), markMs);
    return () => clearTimeout(timer);
  }, [markedId]);
  return markedId;
}
