import type { ReceiptLine } from "../../../protocol/context/context-api.ts";
import { compactionWords, toBroken } from "../../labels/context.ts";
import { toMoment } from "../../lib/time.ts";
import { toDollars } from "../../labels/cost.ts";
import { groupDigits } from "../../lib/format.ts";
import { isBroken } from "./timeline-layout.ts";

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Compaction or cache miss at a call; null for neither. */
export function describeEvent({ opened, broke }: Pick<ReceiptLine, "opened" | "broke">): string | null {
  if (opened !== null)
    return `A cut was made: ${lower((compactionWords as Readonly<Record<string, string>>)[opened] ?? opened)}`;
  return broke === null ? null : `The cache was broken: ${lower(toBroken(broke))}`;
}

/** "4,310 tokens, 3,900 of them as before, $0.0004" */
export const describeSize = ({ promptTokens, shared, call }: ReceiptLine): string =>
  [
    `${groupDigits(promptTokens)} tokens`,
    ...(shared > 0 ? [`${groupDigits(shared)} of them as before`] : []),
    ...(call === null || call.costUsd === null || call.costUsd === 0 ? [] : [toDollars(call.costUsd)]),
  ].join(", ");

export function describeLine(line: ReceiptLine, { n, of }: { readonly n: number; readonly of: number }): string {
  const event = describeEvent(line);
  return `Call ${n} of ${of}, ${toMoment(line.createdAt)}: ${describeSize(line)}.${event === null ? "" : ` ${event}`}`;
}

/** The whole chart in two sentences, for screen readers. */
export function describeTimeline(lines: readonly ReceiptLine[], hasMore: boolean): string {
  const cuts = lines.filter(({ opened }) => opened !== null).length;
  const breaks = lines.filter(isBroken).length;
  const longest = Math.max(0, ...lines.map(({ promptTokens }) => promptTokens));
  const happened = [
    ...(cuts === 0 ? [] : [`${cuts} ${cuts === 1 ? "cut" : "cuts"}`]),
    ...(breaks === 0 ? [] : [`${breaks} ${breaks === 1 ? "break" : "breaks"} of the cache`]),
  ];
  return [
    `${hasMore ? "The last " : ""}${lines.length} ${lines.length === 1 ? "call" : "calls"}.`,
    `The prompt was ${groupDigits(lines[0]?.promptTokens ?? 0)} tokens long at last, ${groupDigits(longest)} at most.`,
    happened.length === 0 ? "No cut, and the cache held." : `${happened.join(", ")}.`,
  ].join(" ");
}
