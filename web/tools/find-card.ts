import type { ComponentType } from "react";
import { cardKindOf, type CardKind } from "../labels/card-kind.ts";
import type { ToolPart } from "../labels/tools.ts";
import { ArtifactCard } from "./cards/artifact-card.tsx";
import { MemoryCard } from "./cards/memory-card.tsx";
import { PagesCard } from "./cards/pages-card.tsx";
import { PlanCard } from "./cards/plan-card.tsx";
import { QuestionCard } from "./cards/question-card.tsx";
import { SearchCard } from "./cards/search-card.tsx";
import { SummarizeCard } from "./cards/summarize-card.tsx";
import { ValueCard } from "./cards/value-card.tsx";
import { WeatherCard } from "./cards/weather-card.tsx";
import { ToolFrame } from "./tool-frame.tsx";

type Card = ComponentType<{ readonly part: ToolPart }>;

const cards: Readonly<Partial<Record<CardKind, Card>>> = {
  plan: PlanCard,
  search: SearchCard,
  pages: PagesCard,
  memory: MemoryCard,
  artifact: ArtifactCard,
  summary: SummarizeCard,
  weather: WeatherCard,
  calculation: ValueCard,
  time: ValueCard,
  question: QuestionCard,
};

/** The component for calls of this tool; a plain frame by default. */
export const findCard = (name: string): Card => cards[cardKindOf(name)] ?? ToolFrame;
