import { Suspense } from "react";
import { useFacts } from "../../sources/message-facts.ts";
import type { ToolPart } from "../../labels/tools.ts";
import { textAt } from "../../lib/read-json.ts";
import { ToolFrame } from "../tool-frame.tsx";
import { lazyChunk } from "../../lib/lazy-chunk.ts";

const LateView = lazyChunk(() => import("../../context/lazy-view.tsx"));

/** A summary requested in the thread: its topic at once, its text when it is ready. */
export const SummarizeCard = ({ part }: { readonly part: ToolPart }) => {
  const threadId = useFacts()?.threadId;
  const summaryId = textAt(part.output, "summaryId");
  const overview = textAt(part.output, "overview");
  return (
    <ToolFrame part={part}>
      {threadId && summaryId !== "" && (
        <Suspense>
          <LateView requestedSummary={{ threadId, summaryId, overview }} />
        </Suspense>
      )}
    </ToolFrame>
  );
};
