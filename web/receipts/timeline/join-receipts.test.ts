import { expect, test } from "vitest";
import type { ReceiptLine } from "../../../protocol/context/context-api.ts";
import { joinEarlier, joinNewest, type Receipts } from "./join-receipts.ts";

const line = (n: number, promptTokens = 1): ReceiptLine => ({
  id: `r${n}`,
  createdAt: n,
  policy: "epochs",
  model: "offline/stone",
  promptTokens,
  shared: 0,
  broke: null,
  opened: null,
  call: null,
});
/** Newest first; receipt 1 is the first of all. */
const page = (newest: number, oldest: number, promptTokens?: number): Receipts => ({
  receipts: Array.from({ length: newest - oldest + 1 }, (_, n) => line(newest - n, promptTokens)),
  nextBefore: oldest > 1 ? `r${oldest}` : null,
});

test("keeps receipts that leave the newest page", () => {
  let known = joinNewest(null, page(90, 31));
  known = joinEarlier(known, "r31", page(30, 11)) ?? known;
  for (let newest = 91; newest <= 200; newest += 1) known = joinNewest(known, page(newest, newest - 59));
  expect(known).toEqual(page(200, 11));
});

test("prefers the newest page for calls in both", () => {
  const known = joinNewest(page(9, 1), page(9, 5, 7));
  expect(known.receipts.map(({ promptTokens }) => promptTokens)).toEqual([7, 7, 7, 7, 7, 1, 1, 1, 1]);
  expect(known.nextBefore).toBeNull();
});

test("discards earlier pages after a gap", () => {
  expect(joinNewest(page(30, 11), page(100, 41))).toEqual(page(100, 41));
});

test("ignores an outdated page or a page of another thread", () => {
  expect(joinEarlier(page(30, 11), "r21", page(20, 11))).toEqual(page(30, 11));
  expect(joinEarlier(null, "r21", page(20, 11))).toBeNull();
});
