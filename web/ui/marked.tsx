import { useMemo } from "react";
import { splitMarks, type Range } from "../lib/marks.ts";

type Props = { readonly text: string; readonly marks: readonly Range[] };

/** A text with search hits highlighted. */
export const Marked = ({ text, marks }: Props) =>
  useMemo(() => splitMarks(text, marks), [text, marks]).map((piece, index) =>
    piece.isMarked ? (
      <mark key={index} className="rounded-xs bg-mark text-ink">
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  );
