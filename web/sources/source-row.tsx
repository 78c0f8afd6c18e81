import { useMemo, useState } from "react";
import type { MessageFacts } from "./message-facts.ts";
import { listCited, sortSources, toCitedRefs } from "./collect-sources.ts";
import { SourceCard } from "./source-card.tsx";
import { sources as strings } from "../strings/sources.ts";

/** More than fit side by side on a desktop. */
const shownFirst = 8;
const fitting = 3;

type Props = { readonly facts: MessageFacts; readonly text: string };

/** The sources of an answer, cited ones first. */
export const SourceRow = ({ facts, text }: Props) => {
  const [all, setAll] = useState(false);
  const { sources, checked } = facts;
  const cited = useMemo(() => listCited(checked.citations, text), [checked, text]);
  const sorted = useMemo(() => sortSources(sources, cited), [sources, cited]);
  if (sorted.length === 0) return null;
  const citedCount = sorted.filter((source) => toCitedRefs(source, cited).length > 0).length;
  const count = Math.max(shownFirst, citedCount);
  return (
    <div role="group" aria-label={strings.title} className="mt-1">
      <p className="mb-1.5 flex items-center gap-2 text-xs font-medium text-soft">
        {citedCount > 0 && citedCount < sorted.length
          ? strings.countCited(sorted.length, citedCount)
          : strings.count(sorted.length)}
        {sorted.length > fitting && (
          <button
            type="button"
            aria-expanded={all}
            className="rounded-md px-1 font-medium text-accent hover:underline pointer-coarse:min-h-9"
            onClick={() => setAll(!all)}
          >
            {all ? strings.fewer : strings.all}
          </button>
        )}
      </p>
      <ul
        tabIndex={-1}
        className={`-mx-1 flex scroll-px-1 gap-2 px-1 pb-1.5 ${all ? "flex-wrap" : "snap-x overflow-x-auto [scrollbar-width:thin]"}`}
      >
        {(all ? sorted : sorted.slice(0, count)).map((source) => (
          <SourceCard key={source.id} source={source} facts={facts} citedAs={toCitedRefs(source, cited)} />
        ))}
        {!all && sorted.length > count && (
          <li className="flex-none">
            <button
              type="button"
              className="h-full rounded-xl px-4 text-sm text-soft hover:bg-sunk hover:text-ink"
              onClick={() => setAll(true)}
            >
              {strings.more(sorted.length - count)}
            </button>
          </li>
        )}
      </ul>
    </div>
  );
};
