import { Suspense, useCallback, useId, useState } from "react";
import { useFacts, type MessageFacts } from "./message-facts.ts";
import { lazyChunk } from "../lib/lazy-chunk.ts";
import { useSelected } from "../lib/signal.ts";
import { findCitation } from "./citations.ts";
import type { Citation, CitationState } from "../state/panels.ts";
import { findSource, type Source } from "./collect-sources.ts";
import { toHost } from "../lib/host.ts";
import { useOpenArtifact } from "./use-open-artifact.ts";
import { sources } from "../strings/sources.ts";

const strings = sources.citation;
const CitationCard = lazyChunk(() => import("./citation-card.tsx"));

type Props = {
  readonly "data-refs"?: string;
  readonly "data-before"?: string;
  /** Punctuation that stays on the line of the citation. */
  readonly "data-after"?: string;
  readonly children?: unknown;
};

/** A citation such as [1, 2]: linked if these are sources of the answer, plain text otherwise. */
export const CitationMark = ({
  "data-refs": refs = "",
  "data-before": before = "",
  "data-after": after = "",
  children,
}: Props) => {
  const facts = useFacts();
  const raw = typeof children === "string" ? children : `[${refs}]`;
  if (!facts) return `${raw}${after}`;
  const marks = refs.split(",").map((text) => {
    const number = Number(text);
    const source = findSource(facts.sources, number);
    return { number, source, citation: findCitation(facts.checked, number, { before, length: raw.length }) };
  });
  if (!marks.some(({ source, citation }) => source ?? citation)) return `${raw}${after}`;
  const links = marks.map((mark) => <CitationLink key={mark.number} facts={facts} {...mark} />);
  if (after === "") return links;
  return (
    <>
      {links.slice(0, -1)}
      <span className="whitespace-nowrap">
        {links.at(-1)}
        {after}
      </span>
    </>
  );
};

type LinkProps = {
  readonly facts: MessageFacts;
  readonly number: number;
  readonly source: Source | undefined;
  readonly citation: Citation | undefined;
};

/** One citation number. Unverified citations are marked visibly and for screen readers. */
const CitationLink = ({ facts: { pointed, checked }, number: ref, source, citation }: LinkProps) => {
  // A source that is cited under several numbers, once for each copy, is shown under the first.
  const number = Math.min(ref, ...checked.citations.map((one) => one.ref).filter((one) => source?.refs.includes(one)));
  const open = useOpenArtifact();
  const id = source?.id ?? `#${number}`;
  const isPointed = useSelected(pointed, (pointedId) => pointedId === id);
  const name = source?.title ?? (toHost(source?.url) || strings.name(number));
  const doubt = citation ? doubts[citation.state] : "";
  const isOpenable = citation?.state !== "missing";
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const close = useCallback(() => setAnchor(null), []);
  const cardId = useId();
  return (
    <span
      onPointerEnter={({ pointerType, currentTarget }) => {
        if (pointerType === "mouse") setAnchor(currentTarget);
      }}
      onPointerLeave={close}
    >
      <button
        type="button"
        data-pointed={isPointed || undefined}
        data-doubt={doubt !== "" || undefined}
        disabled={!isOpenable}
        aria-label={doubt ? strings.labelWithDoubt(number, name, doubt) : strings.label(number, name)}
        aria-describedby={anchor ? cardId : undefined}
        onPointerEnter={() => pointed.set(id)}
        onPointerLeave={() => pointed.set(null)}
        onFocus={({ currentTarget }) => {
          pointed.set(id);
          if (currentTarget.matches(":focus-visible")) setAnchor(currentTarget);
        }}
        onBlur={() => {
          pointed.set(null);
          close();
        }}
        onClick={() => {
          close();
          open?.(citation?.copy ?? ref, number, citation);
        }}
        className="citation"
      >
        {number}
      </button>
      {anchor && (
        <Suspense>
          <CitationCard
            id={cardId}
            anchor={anchor}
            name={name}
            source={source}
            citation={citation}
            doubt={doubt}
            onClose={close}
          />
        </Suspense>
      )}
    </span>
  );
};

const doubts: Readonly<Record<CitationState, string>> = {
  verified: "",
  supported: "",
  unverified: strings.unverified,
  missing: strings.missing,
};
