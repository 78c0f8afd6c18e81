import { memo, type ComponentType } from "react";
import type { Part as PartShape, PartKind, PartOf } from "../../protocol/parts.ts";
import { ToolCard } from "../tools/tool-card.tsx";
import { ContextPart } from "./context-part.tsx";
import { DataPart } from "./data-part.tsx";
import { FilePart } from "./file-part.tsx";
import { NoticePart } from "./notice-part.tsx";
import { ReasoningPart } from "./reasoning-part.tsx";
import { SourcePart } from "./source-part.tsx";
import { StepPart } from "./step-part.tsx";
import { TextPart } from "./text-part.tsx";
import { UnknownPart } from "./unknown-part.tsx";
import { own } from "../ui/own.ts";

/** One component per kind; a kind that this page does not know yet is shown as what it is. */
const components: { readonly [K in PartKind]: ComponentType<{ readonly part: PartOf<K> }> } = {
  text: TextPart,
  reasoning: ReasoningPart,
  tool: ToolCard,
  file: FilePart,
  source: SourcePart,
  data: DataPart,
  notice: NoticePart,
  step: StepPart,
  context: ContextPart,
};

export const Part = memo(({ part }: { readonly part: PartShape }) => {
  const Component = (own(components, part.kind) ?? UnknownPart) as ComponentType<{ readonly part: PartShape }>;
  return <Component part={part} />;
});
