import { ChevronDown, ChevronUp, Search, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type RefObject } from "react";
import type { ThreadView } from "../../../protocol/fold.ts";
import { groupDigits } from "../../lib/format.ts";
import { actions } from "../../strings/actions.ts";
import { thread } from "../../strings/thread.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { findHits, type Hit } from "./find-hits.ts";
import { useFindMarks } from "./use-find-marks.ts";
import { useThreadTexts } from "./use-thread-texts.ts";

const strings = thread.find;

type Props = {
  readonly threadId: string;
  readonly view: ThreadView;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly onScrollTo: (index: number) => void;
  readonly onClose: () => void;
};

export const findFieldId = "find-in-thread";

/** Finds words in all messages of the thread, also in those that are not rendered. */
export const FindBar = ({ threadId, view, scroller, onScrollTo, onClose }: Props) => {
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState<Hit | null>(null);
  const { texts, phase, retry } = useThreadTexts(threadId, view);
  const hits = useMemo(() => findHits(texts, query), [texts, query]);
  const at = chosen ? hits.findIndex(({ id, nth }) => id === chosen.id && nth === chosen.nth) : -1;
  // Until the user moves, the newest hit is the current one: threads are read from their end.
  const current = at >= 0 ? at : hits.length - 1;
  const key = hits[current] ? `${hits[current].id} ${hits[current].nth}` : "";
  // The same object for the same hit, so that new messages do not scroll back to it.
  const hit = useMemo(() => hits[current] ?? null, [key, query]); // oxlint-disable-line react-hooks/exhaustive-deps
  useFindMarks({ scroller, query, hit, onScrollTo });
  const move = (step: 1 | -1): void => {
    if (hits.length > 0) setChosen(hits[(current + step + hits.length) % hits.length] ?? null);
  };
  const field = useRef<HTMLInputElement>(null);
  const [before] = useState(() => document.activeElement);
  useEffect(() => field.current?.focus(), []);
  const close = (): void => {
    onClose();
    if (before instanceof HTMLElement && before.isConnected && before !== document.body)
      before.focus({ preventScroll: true });
    else scroller.current?.focus({ preventScroll: true });
  };
  const isEmpty = query.trim() === "";
  return (
    <div
      data-find-bar=""
      role="search"
      aria-label={strings.label}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      }}
      className="absolute end-3 top-2 z-20 flex w-md max-w-[calc(100%-1.5rem)] items-center gap-1 rounded-2xl bg-raised py-1 ps-3 pe-1 shadow-float sm:end-5"
    >
      <Search aria-hidden="true" className="size-4 flex-none text-soft" />
      <input
        ref={field}
        id={findFieldId}
        type="text"
        dir="auto"
        autoComplete="off"
        aria-label={strings.label}
        placeholder={strings.label}
        value={query}
        onChange={({ currentTarget }) => {
          setQuery(currentTarget.value);
          setChosen(null);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
          event.preventDefault();
          move(event.shiftKey ? -1 : 1);
        }}
        className="h-9 min-w-0 flex-1 bg-transparent px-1 text-sm outline-none placeholder:text-soft pointer-coarse:text-base"
      />
      <span role="status" className="flex-none text-xs text-soft tabular-nums">
        {!isEmpty && describe(current, hits.length, phase === "loading")}
      </span>
      {phase === "failed" && (
        <button type="button" className="plain-button min-h-8 text-xs" onClick={retry}>
          {actions.retry}
        </button>
      )}
      <IconButton label={strings.previous} disabled={hits.length === 0} className="size-9" onClick={() => move(-1)}>
        <ChevronUp aria-hidden="true" className="size-4" />
      </IconButton>
      <IconButton label={strings.next} disabled={hits.length === 0} className="size-9" onClick={() => move(1)}>
        <ChevronDown aria-hidden="true" className="size-4" />
      </IconButton>
      <IconButton label={actions.close} className="size-9" onClick={close}>
        <X aria-hidden="true" className="size-4" />
      </IconButton>
    </div>
  );
};

function describe(current: number, count: number, isLoading: boolean): string {
  if (count === 0) return isLoading ? strings.searching : strings.none;
  const text = strings.position(groupDigits(current + 1), groupDigits(count));
  return isLoading ? `${text}…` : text;
}
