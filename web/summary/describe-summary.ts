import type { BodyInput } from "../../protocol/api.ts";
import type { SummaryFields, SummaryView } from "../../protocol/context/summary.ts";
import { toDollars } from "../labels/cost.ts";
import { groupDigits } from "../lib/format.ts";
import { summary as strings } from "../strings/summary.ts";

/** "Messages 1 to 24", "Message 3". */
export const toRange = ({ fromDepth, toDepth }: SummaryView): string =>
  fromDepth === toDepth
    ? strings.card.oneMessage(groupDigits(fromDepth))
    : strings.card.messages(groupDigits(fromDepth), groupDigits(toDepth));

/** "From 3,120 to 310 tokens (90% fewer)": how much shorter the summary is than its source. */
export function describeSaving({ sourceTokens, summaryTokens }: SummaryView): string {
  const [before, after] = [groupDigits(sourceTokens), groupDigits(summaryTokens)];
  if (sourceTokens === 0 || summaryTokens >= sourceTokens) return strings.card.tokens(before, after);
  return strings.card.tokensSaved(before, after, Math.round((1 - summaryTokens / sourceTokens) * 100));
}

export function describePrice({ costUsd, model }: SummaryView): string {
  if (model === null) return strings.card.noModel;
  return costUsd === 0 ? strings.card.free : toDollars(costUsd);
}

/** Newest first, without those that were merged into another. */
export const sortSummaries = (summaries: readonly SummaryView[]): readonly SummaryView[] =>
  summaries
    .filter(({ mergedInto }) => mergedInto === null)
    .toSorted((a, b) => b.createdAt - a.createdAt || b.toDepth - a.toDepth);

export type EditedFields = BodyInput<"editSummary">["fields"];

/** Trims the fields and drops empty ones. */
export const cleanFields = (fields: SummaryFields): EditedFields => ({
  overview: fields.overview.trim(),
  keyPoints: cleanLines(fields.keyPoints),
  decisions: cleanLines(fields.decisions),
  actionItems: fields.actionItems
    .map(({ text, context }) => ({ text: text.trim(), context: context.trim() }))
    .filter(({ text }) => text !== ""),
  openQuestions: cleanLines(fields.openQuestions),
  toolResults: fields.toolResults
    .map((result) => ({ ...result, summary: result.summary.trim() }))
    .filter(({ summary }) => summary !== ""),
});

const cleanLines = (lines: readonly string[]): string[] =>
  lines.map((line) => line.trim()).filter((line) => line !== "");
