import { ChevronDown } from "lucide-react";
import { Suspense, useState, type ComponentProps } from "react";
import { shell } from "../strings/shell.ts";
import { lazyChunk } from "../lib/lazy-chunk.ts";

const strings = shell.newThread;
const Popup = lazyChunk(() => import("./create-menu-popup.tsx"));

export const CreateMenuButton = (props: ComponentProps<"button">) => (
  <button
    type="button"
    aria-haspopup="menu"
    aria-label={strings.more}
    title={strings.more}
    className="icon-button -ms-1.5 w-5 pointer-coarse:w-8"
    {...props}
  >
    <ChevronDown aria-hidden="true" className="size-3.5" />
  </button>
);

/** Menu next to the "New thread" button. Loaded on first use; until then only its button is rendered. */
export const CreateMenu = () => {
  const [isUsed, setUsed] = useState(false);
  const button = <CreateMenuButton aria-expanded={false} onClick={() => setUsed(true)} />;
  if (!isUsed) return button;
  return (
    <Suspense fallback={button}>
      <Popup />
    </Suspense>
  );
};
