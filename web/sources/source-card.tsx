import { useEffect, useRef } from "react";
import type { MessageFacts } from "./message-facts.ts";
import { toSafeHref } from "../lib/links.ts";
import { useSelected } from "../lib/signal.ts";
import { prefersReducedMotion } from "../state/look.ts";
import { lowRelevance, type Source } from "./collect-sources.ts";
import { Favicon } from "../ui/favicon.tsx";
import { toHost } from "../lib/host.ts";
import { Relevance } from "./relevance.tsx";
import { useOpenArtifact } from "./use-open-artifact.ts";
import { sources as strings } from "../strings/sources.ts";

type Props = { readonly source: Source; readonly facts: MessageFacts; readonly citedAs: readonly number[] };

/** One source. Opens its artifact or, without one, the page in a new tab. */
export const SourceCard = ({ source, facts: { pointed }, citedAs }: Props) => {
  const { id, ref, url, title, status, relevance, error } = source;
  const open = useOpenArtifact();
  const isPointed = useSelected(pointed, (pointedId) => pointedId === id);
  const card = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isPointed) revealSideways(card.current);
  }, [isPointed]);
  const host = toHost(url);
  const href = toSafeHref(url);
  const isLow = relevance !== undefined && relevance < lowRelevance;
  const isCited = citedAs.length > 0;
  const isDim = status === "failed" || (isLow && !isCited);
  const look = `flex h-full w-full flex-col gap-1 rounded-xl p-2.5 text-start transition-colors ${isPointed ? "bg-accent-wash" : "bg-sunk hover:bg-hover"}`;
  const content = (
    <>
      <span className="flex w-full min-w-0 items-center gap-1.5 text-xs text-soft">
        <Favicon host={host} />
        <span className="min-w-0 truncate">{host || source.mediaType || strings.document}</span>
        {citedAs.length > 0 && (
          <span aria-hidden="true" className="ms-auto flex-none rounded-md bg-bubble px-1.5 font-semibold tabular-nums">
            {citedAs[0]}
          </span>
        )}
      </span>
      <span dir="auto" className={`line-clamp-2 text-sm leading-snug wrap-anywhere ${isDim ? "text-soft" : ""}`}>
        {title ?? url ?? strings.untitled}
      </span>
      <span className="mt-auto flex w-full min-w-0 items-center gap-2 text-xs text-soft">
        {status && (
          <span className={status === "failed" ? "text-danger" : ""} title={strings.about[status]}>
            {strings[status]}
          </span>
        )}
        {status === "failed" ? (
          <span className="min-w-0 truncate" title={error}>
            {error}
          </span>
        ) : (
          // The measure counts common words. A source that the answer cites is relevant in any case.
          <Relevance value={isLow && isCited ? undefined : relevance} />
        )}
      </span>
    </>
  );
  const point = {
    onPointerEnter: () => pointed.set(id),
    onPointerLeave: () => pointed.set(null),
    onFocus: () => pointed.set(id),
    onBlur: () => pointed.set(null),
  };
  return (
    <li ref={card} data-pointed={isPointed || undefined} className="w-56 flex-none snap-start sm:w-[14.6rem]">
      {ref !== undefined && open ? (
        <button type="button" className={look} onClick={() => open(ref, citedAs[0] ?? ref)} {...point}>
          {content}
        </button>
      ) : href ? (
        <a href={href} target="_blank" rel="noopener noreferrer nofollow" className={look} {...point}>
          {content}
        </a>
      ) : (
        <span className={look}>{content}</span>
      )}
    </li>
  );
};

/** Scrolls only the row: hovering a number in the text must not move the text. */
function revealSideways(card: HTMLElement | null): void {
  const row = card?.parentElement;
  if (!card || !row) return;
  const behavior = prefersReducedMotion() ? "auto" : "smooth";
  const [box, frame] = [card.getBoundingClientRect(), row.getBoundingClientRect()];
  if (box.left < frame.left) row.scrollBy({ left: box.left - frame.left - 8, behavior });
  else if (box.right > frame.right) row.scrollBy({ left: box.right - frame.right + 8, behavior });
}
