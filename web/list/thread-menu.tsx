import { Suspense, useState } from "react";
import type { ThreadSummary } from "../../protocol/events.ts";
import type { RowActions } from "./use-row-actions.tsx";
import { MenuButton } from "../ui/menu-button.tsx";
import { lazyChunk } from "../lib/lazy-chunk.ts";

const Popup = lazyChunk(() => import("./thread-menu-popup.tsx"));

type Props = { readonly thread: ThreadSummary; readonly actions: RowActions };

/** The menu is loaded on first use; until then only its button is rendered. */
export const ThreadMenu = ({ thread, actions }: Props) => {
  const [isUsed, setUsed] = useState(false);
  const button = <MenuButton title={thread.title} aria-expanded={false} onClick={() => setUsed(true)} />;
  if (!isUsed) return button;
  return (
    <Suspense fallback={button}>
      <Popup thread={thread} actions={actions} />
    </Suspense>
  );
};
