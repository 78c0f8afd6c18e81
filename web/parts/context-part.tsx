import { Suspense, useState } from "react";
import type { PartOf } from "../../protocol/parts.ts";
import { useFacts } from "../message/message-facts.ts";
import { Fold } from "../ui/fold.tsx";
import { lazyChunk } from "../ui/lazy-chunk.ts";

const LateView = lazyChunk(() => import("../context/late-view.tsx"));

/** What was brought back from earlier in the thread for this answer; the time alone is not worth a line. */
export const ContextPart = ({ part: { recalled = [] } }: { readonly part: PartOf<"context"> }) => {
  const [isOpen, setOpen] = useState(false);
  const threadId = useFacts()?.threadId;
  if (recalled.length === 0 || !threadId) return null;
  const title = recalled.length === 1 ? "Recalled one passage" : `Recalled ${recalled.length} passages`;
  return (
    <Fold label={title} onToggle={setOpen}>
      <Suspense>{isOpen && <LateView recalled={{ threadId, recalled }} />}</Suspense>
    </Fold>
  );
};
