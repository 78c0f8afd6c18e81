import type { Receipt } from "../../protocol/context/receipt.ts";
import type { Usage } from "../../protocol/run.ts";
import type { Prices } from "./cost-of.ts";
import { toDollars } from "./to-dollars.ts";

type Cache = Receipt["cache"];

type Explained = {
  /** Of the call before; null when this was the first. */
  readonly before: Pick<Cache, "stable"> | null;
  readonly after: Pick<Cache, "shared" | "broke">;
  readonly usage: Usage;
  readonly prices: Prices;
};

/** Less than this no provider keeps, so nothing was lost. */
const LEAST_TOKENS = 1024;

/** What became of the cache in a call, in a sentence for the person, when something was lost; null otherwise. Pure. */
export function explainCache({ before, after, usage, prices }: Explained): string | null {
  if (before === null || before.stable < LEAST_TOKENS) return null;
  const kept = usage.estimated ? after.shared : usage.cacheReadTokens;
  const lost = Math.max(0, before.stable - kept);
  const tokens = `${lost.toLocaleString("en")} tokens`;
  const cost = tellCost(lost, usage, prices);
  if (after.broke !== null) {
    const why = words[after.broke] ?? after.broke.replace(/(?<![.\s])[.\s]+$/, "");
    return lost === 0 ? null : `This turn broke the cache, because ${why}: ${tokens} were read anew${cost}.`;
  }
  if (usage.estimated || lost < Math.max(LEAST_TOKENS, before.stable / 10)) return null;
  return `The provider's cache was cold, though the prompt began as before: ${tokens} were read anew${cost}.`;
}

function tellCost(lost: number, { cacheWriteTokens }: Usage, { input, cacheRead, cacheWrite }: Prices): string {
  const anew = cacheWriteTokens > 0 ? (cacheWrite ?? input) : input;
  if (anew === null || cacheRead === null) return "; what that cost is not known";
  const more = (lost * (anew - cacheRead)) / 1_000_000;
  return more > 0 ? `, which cost ${toDollars(more)} more than from the cache` : ", which cost nothing";
}

const words: Readonly<Record<string, string>> = {
  full: "the thread had reached its mark and was compacted",
  cold: "it had gone cold, and the thread was compacted at that moment",
  model: "the model was changed",
  "too-long": "the provider found the prompt too long, and it was cut",
  edited: "something earlier was edited",
  policy: "the policy was changed",
  deleted: "something was deleted or forgotten",
  tools: "other tools are on offer",
  system: "the instructions changed",
};
