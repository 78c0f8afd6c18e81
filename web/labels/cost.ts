import type { RunView } from "../../protocol/run.ts";
import { groupDigits, isolate } from "../lib/format.ts";
import { costLabels as strings } from "../strings/labels/costs.ts";

/** "Kimi K2 · 1,200 in · 340 out · $0.0021": model, tokens and cost of an answer. */
export function describeCost({ model, usage, costUsd }: RunView): string {
  const input = groupDigits(usage.inputTokens);
  return [
    model.startsWith("offline/") ? strings.demoModel : model.slice(model.lastIndexOf("/") + 1),
    usage.estimated ? strings.estimatedInput(input) : strings.input(input),
    strings.output(groupDigits(usage.outputTokens)),
    toDollars(costUsd),
  ]
    .filter((piece) => piece !== "")
    .map(isolate)
    .join(" · ");
}

/** The same with a text for 0. */
export const toAmount = (usd: number): string => (usd === 0 ? "$0" : toDollars(usd));

export function toDollars(costUsd: number | null): string {
  if (costUsd === null) return strings.unknownPrice;
  if (costUsd === 0) return "";
  return costUsd < 0.0001 ? "< $0.0001" : `$${costUsd.toFixed(costUsd < 0.01 ? 4 : 2)}`;
}
