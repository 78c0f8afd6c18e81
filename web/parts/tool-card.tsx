import { createElement, memo, Suspense } from "react";
import { QUESTION } from "../../protocol/question.ts";
import { cardKindOf } from "../labels/card-kind.ts";
import { unwrapCall, type ToolPart } from "../labels/tools.ts";
import { lazyChunk } from "../lib/lazy-chunk.ts";
import { Approval } from "../tools/approval.tsx";
import { findCard } from "../tools/find-card.ts";
import { ToolFrame } from "../tools/tool-frame.tsx";

const LateProject = lazyChunk(() => import("../project/lazy-project.tsx"));
const LateQuestion = lazyChunk(() => import("../tools/question.tsx"));
const LateWorkspace = lazyChunk(() => import("../workspace/lazy-workspace.tsx"));

/** One tool call: an approval request or a form while it waits for the user, else the card of its tool. */
export const ToolCard = memo(({ part }: { readonly part: ToolPart }) => {
  const call = unwrapCall(part);
  if (call.state === "asking") {
    if (part.asks?.code !== QUESTION) return <Approval part={call} />;
    return (
      <Suspense fallback={<ToolFrame part={call} />}>
        <LateQuestion part={call} asked={part} />
      </Suspense>
    );
  }
  switch (cardKindOf(call.name)) {
    case "fileChange":
    case "fileView":
    case "fileSearch":
    case "workspace":
      return (
        <Suspense fallback={<ToolFrame part={call} />}>
          <LateWorkspace card={{ part: call }} />
        </Suspense>
      );
    case "entities":
      return (
        <Suspense fallback={<ToolFrame part={call} />}>
          <LateProject card={{ part: call }} />
        </Suspense>
      );
    default:
      return createElement(findCard(call.name), { part: call });
  }
});
