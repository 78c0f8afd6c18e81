import type { Receipt, ReceiptItem } from "../../protocol/context/receipt.ts";
import type { PromptInputs } from "./assemble.ts";
import { CACHE_LIVES_MS } from "./compaction/decide.ts";
import type { PromptChoices } from "./receipt.ts";
import type { RequestHashes } from "./request-hashes.ts";

/** The previous model call in the same thread. */
export type Previous = {
  readonly stable: { readonly bytes: number; readonly hash: string };
  /** Tokens of the stable prefix. */
  readonly tokens: number;
  readonly items: readonly ReceiptItem[];
  readonly compactionId: string | null;
  readonly policy: string;
  readonly model: string;
  /** Part of the conversation did not fit. */
  readonly overBudget: boolean;
  readonly at: number;
};

export const toPrevious = (receipt: Receipt, at: number): Previous => ({
  stable: receipt.stable,
  tokens: receipt.cache.stable,
  items: receipt.items,
  compactionId: receipt.epoch.id,
  policy: receipt.policy,
  model: receipt.model,
  overBudget: receipt.leftOut.some(({ why }) => why === "over-budget"),
  at,
});

type PromptBytes = {
  readonly items: readonly ReceiptItem[];
  readonly hashes: Pick<RequestHashes, "ofPrefix">;
  readonly stable: number;
};

/**
 * How much of the previous prompt is reused from the provider's cache, and why the prefix broke. Compares bytes. If they
 * differ, the items locate the first difference.
 */
export function compareWithPrevious(
  { previous, now, model }: PromptInputs,
  { compaction, opened, policy, dropped }: PromptChoices,
  next: PromptBytes,
) {
  if (previous === null) return { shared: 0, broke: null, expectedRead: 0 };
  const isPrefix = next.hashes.ofPrefix(previous.stable.bytes) === previous.stable.hash;
  const shared = isPrefix ? Math.min(previous.tokens, next.stable) : countShared(previous.items, next.items);
  const isCold = now - previous.at > CACHE_LIVES_MS || previous.model !== model.id;
  const broke = isPrefix ? null : explain();
  return { shared, broke, expectedRead: isCold ? 0 : shared };

  function explain(): string {
    if (opened !== null) return `epoch:${opened}`;
    if (previous?.policy !== policy) return "policy";
    if (previous.compactionId !== (compaction?.id ?? null)) return "epoch-changed";
    if (policy !== "stone") return "window";
    const differs = next.items.findIndex((item, index) => !isSame(item, previous.items[index]));
    const item = next.items[differs];
    if (item?.slot === "tools" || item?.slot === "system") return item.slot;
    const before = previous.items[differs];
    if (before?.id === item?.id && nameUnsent(before) !== nameUnsent(item)) return "pictures";
    if (isGrown(before, item)) return "continued";
    if (isOtherReasoning(before, item)) return "reasoning";
    if (item?.room !== undefined || before?.room !== undefined) return "shortened";
    if (previous.overBudget || dropped.length > 0) return "budget";
    // The same message is answered again, now with a context update before it.
    if (item?.why === "told" && !next.items.some(({ kind, id }) => kind === "message" && id === item.id))
      return "branch";
    const lasting = previous.items.filter((one) => !isDetail(one) && one.kind !== "note");
    return lasting.some(({ id }) => !next.items.some((other) => other.id === id)) ? "branch" : "unexplained";
  }
}

const isSame = (a: ReceiptItem, b: ReceiptItem | undefined): boolean =>
  b !== undefined &&
  a.kind === b.kind &&
  a.id === b.id &&
  a.tokens === b.tokens &&
  a.parts?.join() === b.parts?.join() &&
  nameUnsent(a) === nameUnsent(b);

const nameUnsent = (item: ReceiptItem | undefined): string => item?.notSent?.map(({ part }) => part).join() ?? "";

/** An interrupted answer that was continued: the same step, with further parts at its end. */
const isGrown = (before: ReceiptItem | undefined, after: ReceiptItem | undefined): boolean =>
  before?.kind === "message" &&
  after?.kind === "message" &&
  before.id === after.id &&
  (before.parts ?? []).every((n, index) => after.parts?.[index] === n);

/** The same step with other parts: each model is sent only its own reasoning. */
const isOtherReasoning = (before: ReceiptItem | undefined, after: ReceiptItem | undefined): boolean =>
  before?.kind === "message" &&
  after?.kind === "message" &&
  before.id === after.id &&
  before.parts?.join() !== after.parts?.join() &&
  after.parts?.some((n) => before.parts?.includes(n)) === true;

function countShared(before: readonly ReceiptItem[], after: readonly ReceiptItem[]): number {
  const [old, next] = [before, after].map((items) => items.filter((item) => !isDetail(item) && item.kind !== "note"));
  let tokens = 0;
  for (const [index, item] of (next ?? []).entries()) {
    if (!isSame(item, old?.[index])) break;
    tokens += item.tokens;
  }
  return tokens;
}

/** Detail items are part of another item, which counts their tokens. */
export const isDetail = ({ slot, kind }: ReceiptItem): boolean =>
  slot === "now" && (kind === "recall" || kind === "update" || kind === "digest");
