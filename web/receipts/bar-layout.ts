import type { Receipt, ReceiptItem, Slot } from "../../protocol/context/receipt.ts";

/** From stable to volatile, as they stand in a request. The page loads no schemas, so they are named here once more. */
export const slotOrder = ["tools", "system", "head", "log", "now"] as const satisfies readonly Slot[];

export type Segment = { readonly slot: Slot; readonly tokens: number; readonly share: number };
export type Mark = { readonly name: "low" | "high"; readonly tokens: number; readonly share: number };
export type Bar = {
  readonly segments: readonly Segment[];
  readonly marks: readonly Mark[];
  /** Of the bar, from its end; 0 where the window is too wide to be drawn. */
  readonly reserveShare: number;
  /** How many tokens the whole bar stands for. */
  readonly scale: number;
  readonly isWindow: boolean;
};

/** A window that is much wider than what is in it would leave nothing to see: then the bar ends a little after the high mark. */
const widest = 2;
const room = 1.08;

/** The marks are of the body, which begins after tools and instructions. */
export function layoutBar({ items, budget, promptTokens }: Receipt): Bar {
  const { window, reserve, fixed, high, low } = budget;
  const bySlot = slotOrder.map((slot) => ({ slot, tokens: sumTokens(items.filter((item) => item.slot === slot)) }));
  const used = Math.max(
    promptTokens,
    bySlot.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  const reach = Math.max(used, high === null ? 0 : fixed + high, 1);
  const isWindow = window <= reach * widest;
  const scale = isWindow ? Math.max(window, used) : Math.ceil(reach * room);
  const marks = ([["low", low] as const, ["high", high] as const] as const).flatMap(([name, tokens]) =>
    tokens === null ? [] : [{ name, tokens: fixed + tokens, share: Math.min(1, (fixed + tokens) / scale) }],
  );
  return {
    segments: bySlot.filter(({ tokens }) => tokens > 0).map((one) => ({ ...one, share: one.tokens / scale })),
    marks,
    reserveShare: isWindow ? Math.min(reserve, scale - used) / scale : 0,
    scale,
    isWindow,
  };
}

/** What was recalled and what changed stand inside of what is told with the message, and are counted there. */
export const isDetail = ({ slot, kind }: ReceiptItem): boolean =>
  slot === "now" && (kind === "recall" || kind === "update");

export const sumTokens = (items: readonly ReceiptItem[]): number =>
  items.reduce((sum, item) => (isDetail(item) ? sum : sum + item.tokens), 0);
