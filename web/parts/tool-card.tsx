import { memo, Suspense, type ComponentType } from "react";
import { Approval } from "../tools/approval.tsx";
import { isProjectTool, isWorkspaceTool, unwrapCall, type ToolPart } from "../labels/tools.ts";
import { ArtifactCard } from "../tools/cards/artifact-card.tsx";
import { MemoryCard } from "../tools/cards/memory-card.tsx";
import { PagesCard } from "../tools/cards/pages-card.tsx";
import { PlanCard } from "../tools/cards/plan-card.tsx";
import { SearchCard } from "../tools/cards/search-card.tsx";
import { SummaryCard } from "../tools/cards/summary-card.tsx";
import { ValueCard } from "../tools/cards/value-card.tsx";
import { WeatherCard } from "../tools/cards/weather-card.tsx";
import { ToolFrame } from "../tools/tool-frame.tsx";
import { own } from "../lib/own.ts";
import { lazyChunk } from "../lib/lazy-chunk.ts";

type Card = ComponentType<{ readonly part: ToolPart }>;

/** Tools whose results are worth a look of their own; every other tool has the plain card, and loses nothing by it. */
const cards: Readonly<Record<string, Card>> = {
  plan_research: PlanCard,
  search_web: SearchCard,
  scrape_webpage: PagesCard,
  working_memory: MemoryCard,
  read_artifact: ArtifactCard,
  summarize: SummaryCard,
  weather: WeatherCard,
  calculate: ValueCard,
  now: ValueCard,
};

const LateProject = lazyChunk(() => import("../project/late-project.tsx"));
const LateWorkspace = lazyChunk(() => import("../workspace/late-workspace.tsx"));

export const ToolCard = memo(({ part }: { readonly part: ToolPart }) => {
  const call = unwrapCall(part);
  if (call.state === "asking") return <Approval part={call} />;
  if (isWorkspaceTool(call.name))
    return (
      <Suspense fallback={<ToolFrame part={call} />}>
        <LateWorkspace card={{ part: call }} />
      </Suspense>
    );
  if (isProjectTool(call.name))
    return (
      <Suspense fallback={<ToolFrame part={call} />}>
        <LateProject card={{ part: call }} />
      </Suspense>
    );
  const Card = own(cards, call.name) ?? ToolFrame;
  return <Card part={call} />;
});
