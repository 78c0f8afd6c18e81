import type { Receipt } from "../../protocol/context/receipt.ts";
import type { Usage } from "../../protocol/run.ts";
import type { Prices } from "./cost-of.ts";
import { toDollars } from "./to-dollars.ts";

type Cache = Receipt["cache"];

type CacheComparison = {
  /** The previous call; null if this was the first. */
  readonly before: Pick<Cache, "stable"> | null;
  readonly after: Pick<Cache, "shared" | "broke">;
  readonly usage: Usage;
  readonly prices: Prices;
};

/** No provider caches fewer tokens, so nothing was lost. */
const MIN_TOKENS = 1024;

/** A sentence for the user if this call lost its cache; otherwise null. Pure. */
export function explainCache({ before, after, usage, prices }: CacheComparison): string | null {
  if (before === null || before.stable < MIN_TOKENS) return null;
  const kept = usage.estimated ? after.shared : usage.cacheReadTokens;
  const lost = Math.max(0, before.stable - kept);
  const tokens = `${lost.toLocaleString("en")} tokens`;
  const cost = describeCost(lost, usage, prices);
  if (after.broke !== null) {
    const why = words[after.broke] ?? after.broke.replace(/(?<![.\s])[.\s]+$/, "");
    return lost === 0 ? null : `This turn broke the cache because ${why}: ${tokens} were read again${cost}.`;
  }
  if (usage.estimated || lost < Math.max(MIN_TOKENS, before.stable / 10)) return null;
  return `The provider's cache had expired, although the prompt started as before: ${tokens} were read again${cost}.`;
}

function describeCost(lost: number, { cacheWriteTokens }: Usage, { input, cacheRead, cacheWrite }: Prices): string {
  const price = cacheWriteTokens > 0 ? (cacheWrite ?? input) : input;
  if (price === null || cacheRead === null) return "; the extra cost is unknown";
  const more = (lost * (price - cacheRead)) / 1_000_000;
  return more > 0 ? `, which cost ${toDollars(more)} more than from the cache` : ", which cost nothing";
}

const words: Readonly<Record<string, string>> = {
  full: "the thread reached its size limit and was compacted",
  cold: "it had expired, and the thread was compacted at the same time",
  model: "the model was changed",
  "too-long": "the provider found the prompt too long, and it was shortened",
  edited: "an earlier message was edited",
  policy: "the context policy was changed",
  deleted: "something was deleted or forgotten",
  tools: "the available tools changed",
  system: "the instructions changed",
};
