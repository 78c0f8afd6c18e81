import { CornerUpLeft } from "lucide-react";
import type { SummaryView } from "../../protocol/context/summary.ts";
import type { Omission } from "../../protocol/context/receipt.ts";
import { coverWords, leftOutWords } from "../labels/context.ts";
import { groupDigits, joinList } from "../lib/format.ts";
import { receipts } from "../strings/receipts.ts";
import { hasWords } from "./blocks.ts";
import type { Jump } from "./use-jump-to.ts";

const strings = receipts.omitted;

type Props = {
  readonly leftOut: readonly Omission[];
  readonly summaries: readonly SummaryView[];
  readonly query: string;
  readonly onJump: Jump;
};

/** Messages that were left out or replaced: why, and where to find them. */
export const OutList = ({ leftOut, summaries, query, onJump }: Props) => {
  const shown = leftOut.filter((range) => isMatch(range, query));
  if (shown.length === 0) {
    return (
      <p role="status" className="py-6 text-center text-sm text-pretty text-soft">
        {leftOut.length === 0 ? strings.none : strings.noResults}
      </p>
    );
  }
  return (
    <ul className="grid gap-1.5">
      {shown.map((range) => (
        <li key={`${range.why} ${range.fromDepth}`} className="grid gap-1 rounded-xl bg-raised px-3.5 py-2.5 text-sm">
          <p className="flex items-baseline gap-2">
            <span className="font-medium">{toRange(range)}</span>
            <span className="ms-auto text-xs text-soft tabular-nums">
              {range.tokens === null ? strings.notLoaded : groupDigits(range.tokens)}
            </span>
          </p>
          <p className="text-soft">{leftOutWords[range.why] ?? range.why}</p>
          {range.coveredBy.length > 0 && (
            <p className="text-soft">
              {strings.coveredBy(joinList([...new Set(range.coveredBy.map((id) => toCover(id, summaries)))]))}
            </p>
          )}
          {range.coveredBy.length === 0 && range.messages > 0 && range.why !== "empty" && (
            <p className="text-soft">{strings.notCovered}</p>
          )}
          <button
            type="button"
            className="plain-button mt-1 min-h-8 justify-self-start pointer-coarse:min-h-10"
            onClick={() => onJump({ depth: range.fromDepth })}
          >
            <CornerUpLeft aria-hidden="true" className="size-3.5" />
            {strings.show(groupDigits(range.fromDepth))}
          </button>
        </li>
      ))}
    </ul>
  );
};

const toRange = ({ fromDepth, toDepth, messages, why, parts = [] }: Omission): string => {
  const range =
    fromDepth === toDepth
      ? strings.message(groupDigits(fromDepth))
      : strings.messages(groupDigits(fromDepth), groupDigits(toDepth));
  if (messages === 0 && why !== "over-budget" && why !== "before-the-cut" && parts.length > 0)
    return strings.parts(range, parts.length);
  return messages > 1 && messages !== toDepth - fromDepth + 1 ? strings.someOf(range, groupDigits(messages)) : range;
};

function toCover(id: string, summaries: readonly SummaryView[]): string {
  const summary = summaries.find((one) => one.id === id);
  if (!summary) return coverWords[id] ?? strings.summary;
  return strings.summaryOf(groupDigits(summary.fromDepth), groupDigits(summary.toDepth));
}

/** A number matches the range that contains that message. */
function isMatch(range: Omission, query: string): boolean {
  if (query === "") return true;
  const depth = /^\d+$/.test(query) ? Number(query) : null;
  if (depth !== null) return depth >= range.fromDepth && depth <= range.toDepth;
  return hasWords(query, [toRange(range), leftOutWords[range.why] ?? ""]);
}
