export type CitationState = "verified" | "supported" | "unverified" | "missing";

/**
 * The server's verdict on one citation. `at` is its range in the answer, `span` the cited range in the artifact: in `copy`, a
 * newer copy of the same address, if that is given.
 */
export type Citation = {
  readonly ref: number;
  readonly at: readonly [number, number];
  readonly state: CitationState;
  readonly quote?: string;
  readonly span?: readonly [number, number];
  readonly copy?: number;
};

/** An artifact that is open next to the thread, and the cited passage. */
export type ArtifactRoute = {
  readonly threadId: string;
  readonly ref: number;
  /** The number under which the answer shows it, if it is not that of this copy. */
  readonly shownRef?: number;
  readonly citation: Citation | null;
};

/** The panel next to the thread; one at a time. */
export type SidePanelRoute =
  | ({ readonly kind: "artifact" } & ArtifactRoute)
  /** Receipts of an answer. */
  | {
      readonly kind: "receipts";
      readonly threadId: string;
      /** null: of a model call that belongs to no run. */
      readonly runId: string | null;
      /** One of its receipts; default: the last. */
      readonly receiptId?: string;
    }
  /** Preview of the request for a draft. */
  | {
      readonly kind: "preview";
      readonly threadId: string;
      readonly model: string;
      readonly draft: DraftContent;
    }
  | { readonly kind: "context"; readonly threadId: string }
  | { readonly kind: "compaction"; readonly threadId: string; readonly compactionId: string };

/** The draft at the time of the request. */
export type DraftContent = {
  readonly text: string;
  readonly files: readonly { readonly id: string; readonly name: string }[];
};

/** The dialog that is open over the page. */
export type SheetRoute = LateSheetRoute | ThreadSheetRoute | { readonly kind: "palette" };

/** A dialog about a thread. */
export type ThreadSheetRoute = { readonly kind: "share" | "rename" | "delete"; readonly threadId: string };

export type LateSheetRoute =
  | { readonly kind: "memory" }
  | { readonly kind: "usage" }
  | { readonly kind: "summary"; readonly threadId: string }
  | { readonly kind: "pin"; readonly threadId: string; readonly messageId: string | null; readonly text: string };
