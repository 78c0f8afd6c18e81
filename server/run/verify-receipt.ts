import type { Receipt } from "../../protocol/context/receipt.ts";
import type { Reads } from "../store/contract.ts";
import { rebuildRequest } from "./rebuild-request.ts";

type ReceiptReads = Pick<Reads, "receipt"> & Parameters<typeof rebuildRequest>[0];

export type Verification = { readonly ok: boolean; readonly lines: readonly string[] };

/** Used by the command line: describes the request of one model call and verifies that the stored parts rebuild the same bytes. */
export async function verifyReceipt(read: ReceiptReads, id: string): Promise<Verification> {
  const row = await read.receipt(id);
  if (!row)
    return {
      ok: false,
      lines: [`Receipt ${id} was not found. GET /api/threads/ID/receipts lists the receipts of a thread.`],
    };
  if (row.v !== 2)
    return {
      ok: false,
      lines: ["This receipt was written by an earlier Stonechat in a format that is no longer supported."],
    };
  const receipt = JSON.parse(row.body) as Receipt;
  const { verified, missing } = await rebuildRequest(read, row.thread, receipt);
  const { model, policy, promptTokens, items, leftOut, requestHash } = receipt;
  const { reported } = receipt;
  const out = leftOut.reduce((sum, { messages }) => sum + messages, 0);
  return {
    ok: verified && reported === undefined,
    lines: [
      `${new Date(row.created_at).toISOString()} ${model}, policy ${policy}: ${promptTokens} tokens in ${items.length} parts, ${out} messages left out`,
      `sha256 ${requestHash}`,
      verified
        ? "verified: the stored parts rebuild the same bytes"
        : `NOT verified: ${missing.length ? `missing ${missing.join(", ")}` : "the stored parts rebuild different bytes"}`,
      ...(reported === undefined
        ? []
        : [
            `NOT read in full: the model server reports ${reported.inputTokens} input tokens, but about ${reported.sentTokens} were sent`,
          ]),
    ],
  };
}
