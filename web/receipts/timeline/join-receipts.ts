import type { ReceiptLine } from "../../../protocol/context/context-api.ts";

export type Receipts = {
  /** Newest first, without gaps. */
  readonly receipts: readonly ReceiptLine[];
  /** Cursor of the next page; null: no earlier ones. */
  readonly nextBefore: string | null;
};

/** Joins the newest page with the known ones if they overlap; the page takes precedence. */
export function joinNewest(known: Receipts | null, page: Receipts): Receipts {
  const last = page.receipts.at(-1)?.id;
  const overlap = known?.receipts.findIndex(({ id }) => id === last) ?? -1;
  if (!known || overlap < 0) return page;
  return { receipts: [...page.receipts, ...known.receipts.slice(overlap + 1)], nextBefore: known.nextBefore };
}

/** Adds an earlier page, unless a faster response was added before. */
export function joinEarlier(known: Receipts | null, before: string, page: Receipts): Receipts | null {
  if (known?.nextBefore !== before) return known;
  return { receipts: [...known.receipts, ...page.receipts], nextBefore: page.nextBefore };
}
