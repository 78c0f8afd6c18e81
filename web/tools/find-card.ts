import type { ComponentType } from "react";
import type { ToolPart } from "../labels/tools.ts";
import { own } from "../lib/own.ts";
import { ArtifactCard } from "./cards/artifact-card.tsx";
import { MemoryCard } from "./cards/memory-card.tsx";
import { PagesCard } from "./cards/pages-card.tsx";
import { PlanCard } from "./cards/plan-card.tsx";
import { SearchCard } from "./cards/search-card.tsx";
import { SummaryCard } from "./cards/summary-card.tsx";
import { ValueCard } from "./cards/value-card.tsx";
import { WeatherCard } from "./cards/weather-card.tsx";
import { ToolFrame } from "./tool-frame.tsx";

type Card = ComponentType<{ readonly part: ToolPart }>;

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

/** The component for calls of this tool; a plain frame by default. */
export const findCard = (name: string): Card => own(cards, name) ?? ToolFrame;
