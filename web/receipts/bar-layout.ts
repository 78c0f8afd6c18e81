import type { Receipt, ReceiptItem, Slot } from "../../protocol/context/receipt.ts";

/** Ordered from stable to volatile, as in a request. Repeated here because the page loads no schemas. */
export const slotOrder = ["tools", "system", "head", "log", "now"] as const satisfies readonly Slot[];

export type Segment = { readonly slot: Slot; readonly tokens: number; readonly share: number };
export type Mark = { readonly name: "low" | "high"; readonly tokens: number; readonly share: number };
export type Bar = {
  readonly segments: readonly Segment[];
  readonly marks: readonly Mark[];
  /** Position from the end of the bar; 0 if the window is too wide to show. */
  readonly reserveShare: number;
  /** Tokens represented by the whole bar. */
  readonly scale: number;
  readonly isWindow: boolean;
};

/** With a window much larger than its content, the bar ends shortly after the high mark. */
const widest = 2;
const margin = 1.08;

/** The marks refer to the body, which starts after tools and instructions. */
export function layoutBar({ items, budget, promptTokens }: Receipt): Bar {
  const { window, reserve, fixed, high, low } = budget;
  const bySlot = slotOrder.map((slot) => ({ slot, tokens: sumTokens(items.filter((item) => item.slot === slot)) }));
  const used = Math.max(
    promptTokens,
    bySlot.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  const reach = Math.max(used, high === null ? 0 : fixed + high, 1);
  const isWindow = window <= reach * widest;
  const scale = isWindow ? Math.max(window, used) : Math.ceil(reach * margin);
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

/** Recalled passages and changes are part of the context update and counted there. */
export const isDetail = ({ slot, kind }: ReceiptItem): boolean =>
  slot === "now" && (kind === "recall" || kind === "update");

export const sumTokens = (items: readonly ReceiptItem[]): number =>
  items.reduce((sum, item) => (isDetail(item) ? sum : sum + item.tokens), 0);
