import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { createSignal, useSignal } from "../state/cell.ts";
import type { drawFormula } from "./draw-formula.ts";
import type { MarkedFormula } from "./mark-maths.ts";
import { loadChunk } from "../ui/lazy-chunk.ts";

/** The typesetter and its fonts are large and most answers hold no formula: they are fetched for the first that wants them. */
const typesetter = createSignal<typeof drawFormula | null>(null);

/** A formula, typeset; until that can be done, and where it cannot, its source. */
export const Formula = ({ tex, kind }: MarkedFormula) => {
  const draw = useSignal(typesetter);
  const place = useRef<HTMLSpanElement>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const isDisplay = kind === "display";
  const isDrawn = draw !== null && kind !== "open" && failure === null;
  useEffect(() => {
    if (!typesetter.get())
      void loadChunk(() => import("./draw-formula.ts")).then((loaded) => typesetter.set(loaded.drawFormula));
  }, []);
  useLayoutEffect(() => {
    if (draw && place.current && kind !== "open") setFailure(draw(place.current, tex, isDisplay));
  }, [draw, tex, kind, isDisplay]);
  return (
    <span className={isDisplay || kind === "open" ? "formula formula-display" : "formula"} dir="ltr">
      <span ref={place} hidden={!isDrawn} tabIndex={isDisplay ? 0 : undefined} />
      {!isDrawn && <code title={failure ?? undefined}>{tex}</code>}
    </span>
  );
};
