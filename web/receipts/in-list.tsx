import { useMemo } from "react";
import type { Receipt } from "../../protocol/context/receipt.ts";
import { slotWords, toWhy } from "../labels/context.ts";
import { groupDigits } from "../lib/format.ts";
import { hasWords, pairBlocks, type BlockInput, type ItemText } from "./blocks.ts";
import { countHits } from "../lib/marks.ts";
import { receipts } from "../strings/receipts.ts";
import { SlotDot } from "./budget-bar.tsx";
import { ItemRow, toName } from "./item-row.tsx";
import { slotOrder, sumTokens } from "./bar-layout.ts";
import type { Jump } from "./use-jump-to.ts";

const strings = receipts.items;

type Props = {
  readonly receipt: Receipt;
  readonly request: BlockInput | null;
  /** Texts of pins and summaries, by id. */
  readonly hints: ReadonlyMap<string, string>;
  readonly isLoading: boolean;
  readonly query: string;
  readonly onJump: Jump;
};

/** Everything in the request, in order. */
export const InList = ({ receipt, request, hints, isLoading, query, onJump }: Props) => {
  const items = useMemo(() => {
    const blocks = pairBlocks(receipt.items, request);
    return receipt.items.map((item, index) => ({
      item,
      block: blocks[index] ?? null,
      hint: hints.get(item.id) ?? null,
    }));
  }, [receipt, request, hints]);
  const shown = items.filter(({ item, block, hint }) => {
    const text = block?.isOwn ? block.text : "";
    return query === "" || hasWords(query, [toName(item, block?.role ?? null), toWhy(item.why), hint ?? "", text]);
  });
  return (
    <>
      <p
        role="status"
        className={shown.length === 0 ? "py-6 text-center text-sm text-soft" : "mb-3 text-xs text-soft empty:mb-0"}
      >
        {query === "" ? "" : shown.length === 0 ? strings.noResults : describeHits(shown, query)}
      </p>
      {slotOrder.map((slot) => {
        const members = shown.filter(({ item }) => item.slot === slot);
        return members.length === 0 ? null : (
          <section key={slot} aria-label={slotWords[slot].name} className="mb-5">
            <h3 className="flex items-center gap-2 text-sm font-semibold">
              <SlotDot slot={slot} />
              {slotWords[slot].name}
              <span className="ms-auto pe-2.5 text-xs font-normal text-soft tabular-nums">
                {groupDigits(sumTokens(members.map(({ item }) => item)))}
              </span>
            </h3>
            <p className="mb-2 text-xs text-soft">{slotWords[slot].about}</p>
            <ul className="grid gap-1">
              {members.map(({ item, block, hint }, index) => (
                <ItemRow
                  key={`${item.kind} ${item.id} ${index}`}
                  item={item}
                  block={block}
                  hint={hint}
                  isLoading={isLoading}
                  query={query}
                  onJump={onJump}
                />
              ))}
            </ul>
          </section>
        );
      })}
    </>
  );
};

function describeHits(shown: readonly { readonly block: ItemText | null }[], query: string): string {
  const hits = shown.reduce((sum, { block }) => sum + (block?.isOwn ? countHits(block.text, query) : 0), 0);
  const items = [shown.length, groupDigits(shown.length)] as const;
  return hits === 0 ? strings.found(...items) : strings.matches(hits, groupDigits(hits), ...items);
}
