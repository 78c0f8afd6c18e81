import type { Receipt, ReceiptItem } from "../../protocol/context/receipt.ts";

export const toItem = (item: Partial<ReceiptItem>): ReceiptItem => ({
  slot: "log",
  kind: "message",
  id: "m",
  tokens: 100,
  why: "since-the-cut",
  ...item,
});

/** A receipt for tests with defaults. */
export const toReceipt = ({
  budget,
  ...change
}: Partial<Omit<Receipt, "budget">> & { readonly budget?: Partial<Receipt["budget"]> }): Receipt => ({
  v: 2,
  policy: "stone",
  codec: 1,
  model: "scripted/script",
  tokenizer: "o200k_base",
  budget: {
    window: 128_000,
    windowAssumed: false,
    reserve: 8_000,
    fixed: 1_000,
    high: 9_000,
    low: 4_000,
    spread: 5_000,
    growth: 240,
    ...budget,
  },
  promptTokens: (change.items ?? []).reduce((sum, { tokens }) => sum + tokens, 0),
  items: [],
  leftOut: [],
  epoch: { id: null, opened: null },
  cache: { stable: 0, shared: 0, broke: null, expectedRead: 0, expectedWrite: 0, expectedUsd: null },
  checks: [],
  stable: { bytes: 0, hash: "" },
  recipe: { system: "", tools: "", toolChoice: "auto", effort: "none" },
  requestHash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  ...change,
});
