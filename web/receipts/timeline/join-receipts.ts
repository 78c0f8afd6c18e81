import type { ReceiptLine } from "../../../protocol/context/context-api.ts";

export type Receipts = {
  /** The newest first, without a gap. */
  readonly receipts: readonly ReceiptLine[];
  /** What to ask for next; null: there are none before these. */
  readonly nextBefore: string | null;
};

/** The newest page, and what was known before it where the two meet. What both have is told by the page. */
export function joinNewest(known: Receipts | null, page: Receipts): Receipts {
  const last = page.receipts.at(-1)?.id;
  const met = known?.receipts.findIndex(({ id }) => id === last) ?? -1;
  if (!known || met < 0) return page;
  return { receipts: [...page.receipts, ...known.receipts.slice(met + 1)], nextBefore: known.nextBefore };
}

/** What is known, and the page before it. Where another answer was sooner it is left out. */
export function joinEarlier(known: Receipts | null, before: string, page: Receipts): Receipts | null {
  if (known?.nextBefore !== before) return known;
  return { receipts: [...known.receipts, ...page.receipts], nextBefore: page.nextBefore };
}
