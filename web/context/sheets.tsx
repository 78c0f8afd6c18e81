import { lazy, Suspense, useCallback, type ReactNode } from "react";
import { usePage } from "../state/page.ts";
import type { Sheet } from "./places.ts";

const Memory = lazy(() => import("../memory/memory-sheet.tsx"));
const Usage = lazy(() => import("../usage/usage-sheet.tsx"));
const Summary = lazy(() => import("../summary/summary-sheet.tsx"));
const Pin = lazy(() => import("./panel/pin-sheet.tsx"));

/** What lies over the page, each fetched with its first use. */
const Sheets = ({ place }: { readonly place: Sheet }) => {
  const { sheet } = usePage();
  const close = useCallback(() => sheet.set(null), [sheet]);
  return <Suspense>{draw(place, close)}</Suspense>;
};

function draw(place: Sheet, onClose: () => void): ReactNode {
  switch (place.kind) {
    case "memory":
      return <Memory onClose={onClose} />;
    case "usage":
      return <Usage onClose={onClose} />;
    case "summary":
      return <Summary threadId={place.threadId} onClose={onClose} />;
    case "pin":
      return <Pin place={place} onClose={onClose} />;
  }
}

export default Sheets;
