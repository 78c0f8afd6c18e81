import type { CallOutcome, ReceiptLine } from "../../protocol/context/context-api.ts";
import type { Receipt } from "../../protocol/context/receipt.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { Usage } from "../../protocol/run.ts";
import { explainCache } from "../cost/cost.ts";
import { unknownPrices } from "../model/model.ts";
import type { Reads } from "../store/contract.ts";
import { toReceipt } from "../store/parse-rows.ts";
import type { RowOf } from "../store/schema.ts";
import { rebuildRequest } from "./rebuild-request.ts";
import type { RunDeps } from "./run-context.ts";

/** Receipts of a thread's model calls, with the outcome of each call. */
export function createReceiptViews({ store: { read }, models }: Pick<RunDeps, "store" | "models">) {
  const noteCache = ({ cache }: Receipt, before: Receipt | null | undefined, call: RowOf<"calls">): string | null =>
    explainCache({
      before: before?.cache ?? null,
      after: { shared: cache.shared, broke: cache.broke?.replace(/^epoch:/, "") ?? null },
      usage: JSON.parse(call.usage) as Usage,
      prices: models.forUser(call.owner).find(call.model)?.info.prices ?? unknownPrices,
    });

  return {
    /** Newest first. With `before`: only older ones. */
    receipts: async (threadId: string, limit: number, before: RowOf<"receipts"> | null) => {
      const found = await read.receipts(threadId, limit + 1, before);
      const rows = found.slice(0, limit);
      const calls = await callsOf(read, threadId, rows);
      const receipts = rows.flatMap((row): ReceiptLine[] => {
        const receipt = toReceipt(row);
        if (!receipt) return [];
        const { policy, model, promptTokens, cache, epoch } = receipt;
        const call = calls.get(row.id);
        return [
          {
            id: row.id,
            createdAt: row.created_at,
            policy,
            model,
            promptTokens,
            shared: cache.shared,
            broke: cache.broke,
            opened: epoch.opened,
            call: call ? toOutcome(call) : null,
          },
        ];
      });
      return { receipts, nextBefore: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
    },

    receipt: async (row: RowOf<"receipts">) => {
      const [before] = await read.receipts(row.thread, 1, row);
      const call = (await callsOf(read, row.thread, [row])).get(row.id);
      const receipt = needReceipt(row);
      return {
        id: row.id,
        createdAt: row.created_at,
        receipt,
        call: call ? toOutcome(call) : null,
        previousId: before?.id ?? null,
        cacheNote: call ? noteCache(receipt, before && toReceipt(before), call) : null,
      };
    },

    request: (row: RowOf<"receipts">) => rebuildRequest(read, row.thread, needReceipt(row)),
  };
}

function needReceipt(row: RowOf<"receipts">): Receipt {
  const receipt = toReceipt(row);
  if (receipt) return receipt;
  const text =
    row.v === 1
      ? "This receipt was written by an earlier Stonechat in a format that is no longer supported."
      : "This receipt was written by a newer Stonechat. Update this server to read it.";
  throw new ApiError("not-found", text);
}

async function callsOf(reads: Reads, threadId: string, rows: readonly RowOf<"receipts">[]) {
  const calls = await reads.callsOfReceipts(
    threadId,
    rows.map(({ id }) => id),
  );
  return new Map(calls.flatMap((call) => (call.receipt === null ? [] : [[call.receipt, call] as const])));
}

const toOutcome = (row: RowOf<"calls">): CallOutcome => ({
  id: row.id,
  purpose: row.purpose,
  runId: row.run,
  step: row.step,
  attempt: row.attempt,
  model: row.model,
  outcome: row.outcome,
  usage: JSON.parse(row.usage) as Usage,
  costUsd: row.cost_usd,
});
