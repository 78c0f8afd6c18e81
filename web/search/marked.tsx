import { splitMarks } from "./split-marks.ts";

type Props = { readonly text: string; readonly marks: readonly (readonly [number, number])[] };

/** A piece of text with what was found in it marked. */
export const Marked = ({ text, marks }: Props) =>
  splitMarks(text, marks).map((run, index) =>
    run.marked ? (
      <mark key={index} className="rounded-xs bg-mark text-ink">
        {run.text}
      </mark>
    ) : (
      run.text
    ),
  );
