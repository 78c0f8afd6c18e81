import { memo, type ComponentType } from "react";
import { Approval } from "./approval.tsx";
import { unwrapCall, type ToolPart } from "./calls/names.ts";
import { ArtifactCard } from "./cards/artifact-card.tsx";
import { MemoryCard } from "./cards/memory-card.tsx";
import { PagesCard } from "./cards/pages-card.tsx";
import { PlanCard } from "./cards/plan-card.tsx";
import { SearchCard } from "./cards/search-card.tsx";
import { SummaryCard } from "./cards/summary-card.tsx";
import { ValueCard } from "./cards/value-card.tsx";
import { WeatherCard } from "./cards/weather-card.tsx";
import { ToolFrame } from "./frame/tool-frame.tsx";

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

export const ToolCard = memo(({ part }: { readonly part: ToolPart }) => {
  const call = unwrapCall(part);
  if (call.state === "asking") return <Approval part={call} />;
  const Card = (Object.hasOwn(cards, call.name) && cards[call.name]) || ToolFrame;
  return <Card part={call} />;
});
