import type { RunView } from "../../protocol/run.ts";
import { groupDigits } from "../lib/format.ts";

/** "Kimi K2 · 1,200 in · 340 out · $0.0021": model, tokens and cost of an answer. */
export function describeCost({ model, usage, costUsd }: RunView): string {
  const about = usage.estimated ? "about " : "";
  return [
    model.slice(model.lastIndexOf("/") + 1),
    `${about}${groupDigits(usage.inputTokens)} in`,
    `${groupDigits(usage.outputTokens)} out`,
    toDollars(costUsd),
  ]
    .filter((piece) => piece !== "")
    .join(" · ");
}

export function toDollars(costUsd: number | null): string {
  if (costUsd === null) return "price unknown";
  if (costUsd === 0) return "";
  return costUsd < 0.0001 ? "< $0.0001" : `$${costUsd.toFixed(costUsd < 0.01 ? 4 : 2)}`;
}
