import type { Receipt, Slot } from "../../protocol/context/receipt.ts";
import { slotWords } from "../labels/context.ts";
import { groupDigits, joinList } from "../lib/format.ts";
import { receipts } from "../strings/receipts.ts";
import { layoutBar, type Bar } from "./bar-layout.ts";

const strings = receipts.budget;

export const SlotDot = ({ slot }: { readonly slot: Slot }) => (
  <span
    aria-hidden="true"
    className="inline-block size-2.5 flex-none rounded-full"
    style={{ background: `var(--slot-${slot})` }}
  />
);

/** How the window is used: slots, reserve, and the low and high mark. */
export const BudgetBar = ({ receipt }: { readonly receipt: Receipt }) => {
  const { promptTokens, budget, reported } = receipt;
  const bar = layoutBar(receipt);
  return (
    <section aria-label={strings.label} className="grid gap-2.5">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-2xl font-semibold tracking-tight tabular-nums">{groupDigits(promptTokens)}</span>
        <span className="text-sm text-soft">
          {strings.ofWindow(groupDigits(budget.window), budget.windowAssumed, budget.learned !== undefined)}
        </span>
      </p>
      {budget.tokenRatio && (
        <p className="text-xs text-pretty text-soft">
          {strings.byModel(groupDigits(promptTokens * budget.tokenRatio.ratio), budget.tokenRatio.ratio.toFixed(2))}
        </p>
      )}
      {reported && (
        <p role="note" className="rounded-xl bg-warn-wash px-3 py-2 text-sm text-pretty">
          {strings.mismatch(groupDigits(reported.inputTokens), groupDigits(reported.sentTokens))}
        </p>
      )}
      <BarDrawing bar={bar} />
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] gap-x-5 gap-y-1 text-xs">
        {bar.segments.map(({ slot, tokens }) => (
          <li key={slot} className="flex items-center gap-1.5" title={slotWords[slot].about}>
            <SlotDot slot={slot} />
            {slotWords[slot].name}
            <span className="ms-auto tabular-nums">{groupDigits(tokens)}</span>
            <span className="w-9 text-end text-soft tabular-nums">{toPercent(tokens, promptTokens)}</span>
          </li>
        ))}
        <li className="flex items-center gap-1.5">
          <span aria-hidden="true" className="inline-block size-2.5 flex-none rounded-full border border-soft" />
          {strings.reserve}
          <span className="ms-auto tabular-nums">{groupDigits(budget.reserve)}</span>
          <span className="w-9" />
        </li>
      </ul>
      {budget.high !== null && budget.low !== null && (
        <p className="text-xs text-pretty text-soft">
          {strings.limits(
            groupDigits(budget.high),
            groupDigits(budget.low),
            budget.growth === null ? null : groupDigits(budget.growth),
          )}
        </p>
      )}
    </section>
  );
};

const toPercent = (tokens: number, total: number): string =>
  total === 0 ? "" : tokens / total < 0.01 ? "<1%" : `${Math.round((tokens / total) * 100)}%`;

const BarDrawing = ({ bar: { segments, marks, reserveShare, scale, isWindow } }: { readonly bar: Bar }) => (
  <div role="img" aria-label={describe({ segments, marks, reserveShare, scale, isWindow })} className="relative pb-4">
    <div className="flex h-6 overflow-hidden rounded-xl bg-press">
      {segments.map(({ slot, share }) => (
        <span
          key={slot}
          className="h-full min-w-0.5 flex-none border-e-2 border-sunk transition-[width] duration-300 first:rounded-s-xl"
          style={{ width: `${share * 100}%`, background: `var(--slot-${slot})` }}
        />
      ))}
      {reserveShare > 0 && (
        <span
          className="ms-auto h-full flex-none bg-[repeating-linear-gradient(-45deg,var(--line-strong)_0_2px,transparent_2px_6px)]"
          style={{ width: `${reserveShare * 100}%` }}
        />
      )}
    </div>
    {marks.map(({ name, share }) => (
      <span key={name} className="absolute top-0 bottom-0 w-0" style={{ insetInlineStart: `${share * 100}%` }}>
        <span className="absolute -top-1 h-8 border-s-2 border-dotted border-ink" />
        <span className="absolute bottom-0 -translate-x-1/2 text-[0.65rem] leading-none font-semibold">
          {strings[name]}
        </span>
      </span>
    ))}
  </div>
);

const describe = ({ segments, marks, scale, isWindow }: Bar): string =>
  joinList([
    ...segments.map(({ slot, tokens }) => strings.slot(slotWords[slot].name, groupDigits(tokens))),
    ...marks.map(({ name, tokens }) => (name === "high" ? strings.highMark : strings.lowMark)(groupDigits(tokens))),
    (isWindow ? strings.window : strings.scale)(groupDigits(scale)),
  ]);
