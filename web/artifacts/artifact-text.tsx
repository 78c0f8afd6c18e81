import { useEffect, useMemo, useRef, useState } from "react";
import type { Citation } from "../state/panels.ts";
import { cutPassage } from "../sources/passage.ts";
import { groupDigits } from "../lib/format.ts";
import { artifacts as strings } from "../strings/artifacts.ts";

const firstCharacters = 200_000;

type Props = { readonly text: string; readonly citation: Citation | null };

/** Untrusted text, rendered as plain text only. Opens at the cited passage. */
export const ArtifactText = ({ text, citation }: Props) => {
  const cut = useMemo(() => cutPassage(text, citation), [text, citation]);
  const [all, setAll] = useState(false);
  const mark = useRef<HTMLElement>(null);
  useEffect(() => {
    void mark.current?.scrollIntoView({ block: "center" });
  }, [cut]);
  const remaining = firstCharacters - (cut ? cut.before.length + cut.marked.length : 0);
  const tail = cut ? cut.after : text;
  // Everything before the passage is rendered: leaving it out would move the passage.
  const isLong = !all && tail.length > Math.max(remaining, 0) + firstCharacters / 4;
  const rest = isLong ? tail.slice(0, Math.max(remaining, firstCharacters / 4)) : tail;
  return (
    <div
      role="region"
      aria-label={strings.text}
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 pb-[max(1.5rem,env(safe-area-inset-bottom))] focus-visible:-outline-offset-2"
    >
      {citation && !cut && (
        <p role="note" className="mb-3 rounded-xl bg-warn-wash px-3 py-2 text-sm">
          {citation.quote ? strings.quoteNotFound : strings.passageNotFound}{" "}
          {citation.quote && <q dir="auto">{citation.quote}</q>}
        </p>
      )}
      <div dir="auto" className="text-sm leading-relaxed wrap-anywhere whitespace-pre-wrap">
        {cut && (
          <>
            {cut.before}
            <mark ref={mark} className="rounded-sm bg-mark text-ink box-decoration-clone px-0.5 -mx-0.5">
              {cut.marked}
            </mark>
          </>
        )}
        {rest}
      </div>
      {isLong && (
        <button type="button" className="plain-button mt-3" onClick={() => setAll(true)}>
          {strings.showMore(groupDigits(tail.length - rest.length))}
        </button>
      )}
    </div>
  );
};
