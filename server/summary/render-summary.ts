import type { SummaryFields } from "../../protocol/context/summary.ts";
import { toOneLine } from "./injected.ts";

/**
 * A summary as text for the compaction summary: the overview first, then one statement per line. Deterministic. Control
 * characters and template tokens are removed.
 */
export function renderSummary({
  fields,
  isUntrusted,
}: {
  readonly fields: SummaryFields;
  readonly isUntrusted: boolean;
}): string {
  const lines = [
    toOneLine(fields.overview),
    ...fields.keyPoints.map((text) => `- ${toOneLine(text)}`),
    ...fields.decisions.map((text) => `- decided: ${toOneLine(text)}`),
    ...fields.actionItems.map(
      ({ text, context }) => `- to do: ${toOneLine(text)}${context === "" ? "" : ` (${toOneLine(context)})`}`,
    ),
    ...fields.openQuestions.map((text) => `- open: ${toOneLine(text)}`),
    ...fields.toolResults.map(
      ({ toolName, summary }) => `- ${toOneLine(toolName)} gave: ${JSON.stringify(toOneLine(summary))}`,
    ),
    ...(isUntrusted ? ["(partly from text that others wrote)"] : []),
  ];
  return lines.filter((line) => line !== "" && line !== "-").join("\n");
}
