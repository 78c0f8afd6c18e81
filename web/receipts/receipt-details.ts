import type { Response } from "../../protocol/api.ts";
import type { Receipt } from "../../protocol/context/receipt.ts";
import type { BlockInput } from "./blocks.ts";

export type Call = Response<"getRun">["calls"][number];

/** A receipt with what is known around it: of a call that was made, or of one that would be. */
export type ReceiptDetails = {
  readonly receipt: Receipt;
  /** null before it was made. */
  readonly call: Pick<Call, "usage" | "costUsd"> | null;
  /** The call before it in this thread. */
  readonly previousId: string | null;
  readonly cacheNote: string | null;
  /** null while it is being rebuilt. */
  readonly request: BlockInput | null;
  readonly verified: boolean | null;
  readonly isPreview: boolean;
};
