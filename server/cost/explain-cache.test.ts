import { expect, test } from "vitest";
import { noUsage } from "../../protocol/run.ts";
import { explainCache } from "./explain-cache.ts";

const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const before = { stable: 12_400 };
const usage = { ...noUsage, inputTokens: 14_000 };

test("explains a broken cache with the reason, the tokens and the extra cost", () => {
  const after = { shared: 2400, broke: "model" };
  expect(explainCache({ before, after, usage: { ...usage, cacheReadTokens: 2400 }, prices })).toBe(
    "This turn broke the cache because the model was changed: 10,000 tokens were read again, which cost $0.027 more than from the cache.",
  );
  const written = { ...usage, cacheReadTokens: 2400, cacheWriteTokens: 11_600 };
  expect(explainCache({ before, after, usage: written, prices })).toContain("which cost $0.035 more");
  expect(explainCache({ before, after: { ...after, broke: "another reason." }, usage, prices })).toContain(
    "because another reason: 12,400 tokens",
  );
});

test("says that the price is unknown", () => {
  const after = { shared: 0, broke: "full" };
  expect(explainCache({ before, after, usage, prices: { ...prices, cacheRead: null } })).toMatch(
    /was compacted: 12,400 tokens were read again; the extra cost is unknown\.$/,
  );
});

test("does not call an expired cache broken", () => {
  const after = { shared: 12_400, broke: null };
  expect(explainCache({ before, after, usage, prices })).toMatch(
    /^The provider's cache had expired, although the prompt started/,
  );
});

test("says nothing for a first call, an intact cache, an estimate, or too few tokens to cache", () => {
  const after = { shared: 12_400, broke: null };
  const kept = { ...usage, cacheReadTokens: 12_288 };
  expect(explainCache({ before: null, after, usage, prices })).toBeNull();
  expect(explainCache({ before, after, usage: kept, prices })).toBeNull();
  expect(explainCache({ before, after, usage: { ...usage, estimated: true }, prices })).toBeNull();
  expect(explainCache({ before: { stable: 500 }, after: { shared: 0, broke: "full" }, usage, prices })).toBeNull();
});
