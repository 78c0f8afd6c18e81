import { useMemo } from "react";
import type { Receipt } from "../../protocol/context/receipt.ts";
import { slotWords, toWhy } from "../context/words.ts";
import { groupDigits } from "../ui/group-digits.ts";
import { findBlock, hasWords, type Given } from "./account/blocks.ts";
import { SlotDot } from "./budget-bar.tsx";
import { ItemRow, toName } from "./item-row.tsx";
import { slotOrder, sumTokens } from "./account/lay-bar.ts";
import type { Jump } from "./use-jump-to.ts";

type Props = {
  readonly receipt: Receipt;
  readonly given: Given | null;
  readonly isLoading: boolean;
  readonly query: string;
  readonly onJump: Jump;
};

/** Everything that went in, in the order of the request. */
export const InList = ({ receipt, given, isLoading, query, onJump }: Props) => {
  const items = useMemo(
    () =>
      receipt.items.map((item) => {
        const block = findBlock(item, given);
        return { item, text: block?.text ?? null, role: block?.role ?? null };
      }),
    [receipt, given],
  );
  const shown = items.filter(
    ({ item, text, role }) => query === "" || hasWords(query, [toName(item, role), toWhy(item.why), text ?? ""]),
  );
  return (
    <>
      <p role="status" className={shown.length === 0 ? "py-6 text-center text-sm text-soft" : "sr-only"}>
        {query === "" ? "" : shown.length === 0 ? "Nothing in it says that." : `${shown.length} found`}
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
              {members.map(({ item, text, role }, index) => (
                <ItemRow
                  key={`${item.kind} ${item.id} ${index}`}
                  item={item}
                  text={text}
                  role={role}
                  isLoading={isLoading}
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
