import { ArrowRight, History } from "lucide-react";
import { useMemo } from "react";
import type { Receipt } from "../../protocol/context/receipt.ts";
import { slotWords, toWhy } from "../labels/context.ts";
import { usePage } from "../state/page.ts";
import { groupDigits } from "../lib/format.ts";
import { useLoad } from "../lib/use-load.ts";
import { actions } from "../strings/actions.ts";
import { receipts } from "../strings/receipts.ts";
import { SlotDot } from "./budget-bar.tsx";
import { compareReceipts, type Difference } from "./compare-receipts.ts";
import { toName } from "./item-row.tsx";
import type { ReceiptDetails } from "./receipt-details.ts";

const strings = receipts.compare;

type Props = {
  readonly threadId: string;
  readonly details: ReceiptDetails;
  /** Opens that receipt; absent if it cannot be opened. */
  readonly onOpen?: (receiptId: string) => void;
};

/** Differences from the previous call. */
export const Compare = ({ threadId, details: { receipt, previousId }, onOpen }: Props) => {
  const { client } = usePage();
  const { state } = useLoad(previousId, (signal) =>
    client.getReceipt({ params: { threadId, receiptId: previousId ?? "" } }, signal),
  );
  if (previousId === null) return <Note text={strings.first} />;
  if (state.phase === "loading") return <Note text={actions.loading} />;
  if (state.phase === "failed") return <Note text={state.text} />;
  return (
    <Differences
      before={state.value.receipt}
      after={receipt}
      {...(onOpen ? { onOpen: () => onOpen(previousId) } : {})}
    />
  );
};

const Note = ({ text }: { readonly text: string }) => (
  <p role="status" className="py-6 text-center text-sm text-pretty text-soft">
    {text}
  </p>
);

type DifferencesProps = { readonly before: Receipt; readonly after: Receipt; readonly onOpen?: () => void };

const Differences = ({ before, after, onOpen }: DifferencesProps) => {
  const { differences, same, tokens, bySlot } = useMemo(() => compareReceipts(before, after), [before, after]);
  return (
    <div className="grid gap-5">
      <p className="flex flex-wrap items-center gap-2">
        <span className="text-lg font-semibold tabular-nums">{strings.tokens(toSigned(tokens))}</span>
        <span className="text-sm text-soft">{strings.same(same, groupDigits(same))}</span>
        {onOpen && (
          <button type="button" className="plain-button ms-auto min-h-8 pointer-coarse:min-h-10" onClick={onOpen}>
            <History aria-hidden="true" className="size-3.5" />
            {strings.openPrevious}
          </button>
        )}
      </p>
      <table className="w-full text-sm tabular-nums">
        <thead className="text-xs text-soft">
          <tr>
            {strings.columns.map((name, index) => (
              <th key={name} scope="col" className={`pb-1 font-medium ${index === 0 ? "text-start" : "text-end"}`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bySlot.map(({ slot, before: was, after: is }) => (
            <tr key={slot}>
              <th scope="row" className="py-1 text-start font-normal">
                <span className="inline-flex items-center gap-2">
                  <SlotDot slot={slot} />
                  {slotWords[slot].name}
                </span>
              </th>
              <td className="py-1 text-end text-soft">{groupDigits(was)}</td>
              <td className="py-1 text-end">{groupDigits(is)}</td>
              <td className={`py-1 text-end ${is === was ? "text-soft" : "font-medium"}`}>{toSigned(is - was)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {changes.map((change) => (
        <Group
          key={change}
          title={strings.changes[change]}
          members={differences.filter((one) => one.change === change)}
        />
      ))}
    </div>
  );
};

const changes = ["added", "changed", "moved", "removed"] as const;

const Group = ({ title, members }: { readonly title: string; readonly members: readonly Difference[] }) =>
  members.length === 0 ? null : (
    <section aria-label={title}>
      <h3 className="mb-1.5 text-sm font-semibold">
        {title} <span className="font-normal text-soft tabular-nums">{members.length}</span>
      </h3>
      <ul className="grid gap-1">
        {members.map(({ change, item, before, tokens }, index) => (
          <li
            key={`${item.kind} ${item.id} ${index}`}
            className="flex min-h-9 items-center gap-2 rounded-xl bg-raised px-3 py-1.5 text-sm"
          >
            <SlotDot slot={item.slot} />
            <span className={`min-w-0 truncate ${change === "removed" ? "text-soft line-through" : ""}`}>
              {toName(item, null)}
            </span>
            <span className="min-w-0 truncate text-xs text-soft">
              {change === "moved" && before ? (
                <span className="inline-flex items-center gap-1">
                  {slotWords[before.slot].name}
                  <ArrowRight aria-label={strings.to} className="size-3 rtl:-scale-x-100" />
                  {slotWords[item.slot].name}
                </span>
              ) : (
                toWhy(item.why)
              )}
            </span>
            <span className="ms-auto flex-none text-xs tabular-nums">{tokens === 0 ? "" : toSigned(tokens)}</span>
          </li>
        ))}
      </ul>
    </section>
  );

const toSigned = (count: number): string =>
  count === 0 ? "±0" : `${count > 0 ? "+" : "−"}${groupDigits(Math.abs(count))}`;
