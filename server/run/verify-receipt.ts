import type { Receipt } from "../../protocol/context/receipt.ts";
import type { Reads } from "../store/contract.ts";
import { readRequest } from "./read-request.ts";

type ReceiptReads = Pick<Reads, "receipt"> & Parameters<typeof readRequest>[0];

export type Verified = { readonly ok: boolean; readonly lines: readonly string[] };

/** For the command line: what one call was given, and whether the stored pieces still give the bytes that were sent. */
export async function verifyReceipt(read: ReceiptReads, id: string): Promise<Verified> {
  const row = await read.receipt(id);
  if (!row) return { ok: false, lines: [`There is no receipt ${id} here. GET /api/threads/ID/receipts lists them.`] };
  if (row.v !== 2)
    return { ok: false, lines: ["It was written by an earlier Stonechat, in a form that is no longer read."] };
  const receipt = JSON.parse(row.body) as Receipt;
  const { verified, missing } = await readRequest(read, row.thread, receipt);
  const { model, policy, promptTokens, items, leftOut, requestHash } = receipt;
  const { reported } = receipt;
  const out = leftOut.reduce((sum, { messages }) => sum + messages, 0);
  return {
    ok: verified && reported === undefined,
    lines: [
      `${new Date(row.created_at).toISOString()} ${model}, policy ${policy}: ${promptTokens} tokens in ${items.length} pieces, ${out} messages left out`,
      `sha256 ${requestHash}`,
      verified
        ? "verified: the stored pieces give the same bytes"
        : `NOT verified: ${missing.length ? `missing ${missing.join(", ")}` : "the stored pieces give other bytes"}`,
      ...(reported === undefined
        ? []
        : [
            `NOT read in full: the model server reports ${reported.inputTokens} input tokens, but about ${reported.sentTokens} were sent`,
          ]),
    ],
  };
}
