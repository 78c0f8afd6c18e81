import { useEffect, useLayoutEffect, useRef, useState, type CSSProperties } from "react";
import { createPortal } from "react-dom";
import { toHost } from "../lib/host.ts";
import type { Citation } from "../state/panels.ts";
import { sources as strings } from "../strings/sources.ts";
import { Favicon } from "../ui/favicon.tsx";
import type { Source } from "./collect-sources.ts";

type Props = {
  readonly id: string;
  /** The citation that it is shown for. */
  readonly anchor: HTMLElement;
  readonly name: string;
  readonly source: Source | undefined;
  readonly citation: Citation | undefined;
  readonly doubt: string;
  readonly onClose: () => void;
};

const margin = 8;

/** The source of a citation: host, title, the quoted words, and whether it contains them. Rendered inside the main landmark. */
const CitationCard = ({ id, anchor, name, source, citation, doubt, onClose }: Props) => {
  const card = useRef<HTMLSpanElement>(null);
  const [place, setPlace] = useState<CSSProperties>({ visibility: "hidden" });
  useLayoutEffect(() => {
    if (card.current) setPlace(toPlace(anchor.getBoundingClientRect(), card.current.getBoundingClientRect()));
  }, [anchor]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Escape") onClose();
    };
    addEventListener("keydown", onKeyDown);
    addEventListener("scroll", onClose, { capture: true, passive: true });
    return () => {
      removeEventListener("keydown", onKeyDown);
      removeEventListener("scroll", onClose, { capture: true });
    };
  }, [onClose]);
  const host = toHost(source?.url);
  const quote = citation?.quote ?? "";
  return createPortal(
    <span
      ref={card}
      id={id}
      role="tooltip"
      style={place}
      className="animate-late fixed z-40 flex w-72 max-w-[calc(100vw-1rem)] flex-col gap-1 rounded-xl bg-raised p-3 text-start text-sm shadow-float"
    >
      {host !== "" && (
        <span className="flex min-w-0 items-center gap-1.5 text-xs text-soft">
          <Favicon host={host} />
          <span className="min-w-0 truncate">{host}</span>
          {source?.status && <span className="ms-auto flex-none">{strings[source.status]}</span>}
        </span>
      )}
      <span dir="auto" className="line-clamp-3 leading-snug font-medium wrap-anywhere">
        {name}
      </span>
      {quote !== "" && (
        <span dir="auto" className="line-clamp-4 leading-snug text-soft wrap-anywhere">
          “{quote}”
        </span>
      )}
      {doubt !== "" && <span className="text-xs text-soft">{doubt}</span>}
    </span>,
    document.querySelector("main") ?? document.body,
  );
};

/** Above the citation, or below it where there is no room; the pointer can move onto it. */
function toPlace(anchor: DOMRect, { width, height }: DOMRect): CSSProperties {
  const isAbove = anchor.top > height + margin;
  const left = Math.min(Math.max(margin, anchor.left - 16), innerWidth - width - margin);
  return { left, top: isAbove ? anchor.top - height : anchor.bottom };
}

export default CitationCard;
