import type { ReceiptLine } from "../../../protocol/context/context-api.ts";
import { compactionWords, toBroken } from "../../labels/context.ts";
import { receipts } from "../../strings/receipts.ts";
import { toMoment } from "../../lib/time.ts";
import { toDollars } from "../../labels/cost.ts";
import { groupDigits, joinList } from "../../lib/format.ts";
import { isCacheMiss } from "./timeline-layout.ts";

const strings = receipts.chart;

/** Compaction or cache miss at a call; null for neither. */
export function describeEvent({ opened, broke }: Pick<ReceiptLine, "opened" | "broke">): string | null {
  if (opened !== null)
    return strings.compacted((compactionWords as Readonly<Record<string, string>>)[opened] ?? opened);
  return broke === null ? null : strings.cacheMiss(toBroken(broke));
}

/** "4,310 tokens, 3,900 unchanged, $0.0004" */
export const describeSize = ({ promptTokens, shared, call }: ReceiptLine): string =>
  joinList([
    strings.tokens(groupDigits(promptTokens)),
    ...(shared > 0 ? [strings.unchanged(groupDigits(shared))] : []),
    ...(call === null || call.costUsd === null || call.costUsd === 0 ? [] : [toDollars(call.costUsd)]),
  ]);

export function describeLine(line: ReceiptLine, { n, of }: { readonly n: number; readonly of: number }): string {
  const event = describeEvent(line);
  const call = strings.call(n, of, toMoment(line.createdAt), describeSize(line));
  return event === null ? call : `${call} ${event}`;
}

/** The whole chart in two sentences, for screen readers. */
export function describeTimeline(lines: readonly ReceiptLine[], hasMore: boolean): string {
  const compactions = lines.filter(({ opened }) => opened !== null).length;
  const cacheMisses = lines.filter(isCacheMiss).length;
  const longest = Math.max(0, ...lines.map(({ promptTokens }) => promptTokens));
  const events = [
    ...(compactions === 0 ? [] : [strings.compactions(compactions)]),
    ...(cacheMisses === 0 ? [] : [strings.cacheMisses(cacheMisses)]),
  ];
  return [
    strings.summary(lines.length, hasMore, groupDigits(lines[0]?.promptTokens ?? 0), groupDigits(longest)),
    events.length === 0 ? strings.noEvents : `${joinList(events)}.`,
  ].join(" ");
}
