import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { toItem, toReceipt } from "./sample-receipt.ts";
import type { ReceiptDetails } from "./receipt-details.ts";
import { BudgetBar } from "./budget-bar.tsx";
import { CacheAndCost } from "./cache-and-cost.tsx";
import { OutList } from "./out-list.tsx";

const toText = (markup: string): string => markup.replace(/<[^>]+>/g, "").replaceAll("&#x27;", "'");
const reported = { inputTokens: 4_096, sentTokens: 9_800, window: { tokens: 3_900, at: 0 } };

test("reports a token count mismatch and does not claim the receipt is verified", () => {
  const receipt = toReceipt({ reported });
  expect(toText(renderToStaticMarkup(<BudgetBar receipt={receipt} />))).toContain(
    "reports 4,096 input tokens, but about 9,800 were sent",
  );
  const details: ReceiptDetails = {
    receipt,
    call: null,
    previousId: null,
    cacheNote: null,
    request: null,
    verified: true,
    isPreview: false,
  };
  const proof = toText(renderToStaticMarkup(<CacheAndCost details={details} />));
  expect(proof).toContain("the model server did not read all of it");
  expect(proof).not.toContain("Rebuilt byte for byte");
  const plain = toText(renderToStaticMarkup(<CacheAndCost details={{ ...details, receipt: toReceipt({}) }} />));
  expect(plain).toContain("Rebuilt byte for byte");
});

test("lists messages that nothing in the request covers", () => {
  const range = { fromDepth: 1, toDepth: 4, messages: 4, tokens: null, why: "before-the-cut" } as const;
  const list = (coveredBy: readonly string[]) =>
    toText(
      renderToStaticMarkup(
        <OutList leftOut={[{ ...range, coveredBy }]} summaries={[]} query="" onJump={async () => {}} />,
      ),
    );
  expect(list([])).toContain("Nothing in the request covers it.");
  expect(list(["extract"])).toContain("Covered by extracts.");
});

test("names the token ratio, the tokens by the model's count, and the sampling", () => {
  const items = [toItem({ tokens: 1_000 })];
  const budget = { tokenRatio: { ratio: 1.25, calls: 3 } };
  const receipt = toReceipt({ items, budget, sampling: { temperature: 0.3, topP: 0.9 } });
  expect(toText(renderToStaticMarkup(<BudgetBar receipt={receipt} />))).toContain(
    "About 1,250 tokens as the model counts",
  );
  const details = { receipt, call: null, previousId: null, cacheNote: null, request: null, verified: true } as const;
  const facts = toText(renderToStaticMarkup(<CacheAndCost details={{ ...details, isPreview: false }} />));
  expect(facts).toContain("Token ratio1.25, from 3 calls of this model");
  expect(facts).toContain("Temperature0.3Top-p0.9");
});
