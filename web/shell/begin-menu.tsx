import { ChevronDown } from "lucide-react";
import { Suspense, useState, type ComponentProps } from "react";
import { lazyChunk } from "../lib/lazy-chunk.ts";

const Popup = lazyChunk(() => import("./begin-menu-popup.tsx"));

export const BeginMenuButton = (props: ComponentProps<"button">) => (
  <button
    type="button"
    aria-haspopup="menu"
    aria-label="Other ways to begin"
    title="Other ways to begin"
    className="icon-button -ms-1.5 w-5 pointer-coarse:w-8"
    {...props}
  >
    <ChevronDown aria-hidden="true" className="size-3.5" />
  </button>
);

/** Menu next to the "New thread" button. Loaded on first use; until then only its button is rendered. */
export const BeginMenu = () => {
  const [isUsed, setUsed] = useState(false);
  const button = <BeginMenuButton aria-expanded={false} onClick={() => setUsed(true)} />;
  if (!isUsed) return button;
  return (
    <Suspense fallback={button}>
      <Popup />
    </Suspense>
  );
};
