import type { SummaryFields } from "../../protocol/context/summary.ts";
import { toPlain } from "./injected.ts";

/**
 * A summary as text for the compaction summary: the overview first, then one statement per line. Deterministic. Control
 * characters and template tokens are removed.
 */
export function renderChunk({
  fields,
  isUntrusted,
}: {
  readonly fields: SummaryFields;
  readonly isUntrusted: boolean;
}): string {
  const lines = [
    toPlain(fields.overview),
    ...fields.keyPoints.map((text) => `- ${toPlain(text)}`),
    ...fields.decisions.map((text) => `- decided: ${toPlain(text)}`),
    ...fields.actionItems.map(
      ({ text, context }) => `- to do: ${toPlain(text)}${context === "" ? "" : ` (${toPlain(context)})`}`,
    ),
    ...fields.openQuestions.map((text) => `- open: ${toPlain(text)}`),
    ...fields.toolResults.map(
      ({ toolName, summary }) => `- ${toPlain(toolName)} gave: ${JSON.stringify(toPlain(summary))}`,
    ),
    ...(isUntrusted ? ["(partly from text that others wrote)"] : []),
  ];
  return lines.filter((line) => line !== "" && line !== "-").join("\n");
}
