import { useMemo } from "react";
import { splitByWords } from "./find-words.ts";

/** A text with what was sought in it marked. */
export const Marked = ({ text, query }: { readonly text: string; readonly query: string }) => {
  const pieces = useMemo(() => splitByWords(text, query), [text, query]);
  if (query === "") return text;
  return pieces.map((piece, index) =>
    piece.isHit ? (
      <mark key={index} className="rounded-xs bg-mark text-ink">
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  );
};
