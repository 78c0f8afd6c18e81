import type { Response } from "../../protocol/api.ts";
import type { Receipt } from "../../protocol/context/receipt.ts";
import type { BlockInput } from "./blocks.ts";

export type ModelCall = Response<"getRun">["calls"][number];

/** A receipt with its call, or of a previewed call. */
export type ReceiptDetails = {
  readonly receipt: Receipt;
  /** null for a preview. */
  readonly call: Pick<ModelCall, "usage" | "costUsd"> | null;
  /** The previous call of this thread. */
  readonly previousId: string | null;
  readonly cacheNote: string | null;
  /** null while it is being rebuilt. */
  readonly request: BlockInput | null;
  readonly verified: boolean | null;
  readonly isPreview: boolean;
};
