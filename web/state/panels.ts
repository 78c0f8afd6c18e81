export type CitationState = "verified" | "supported" | "unverified" | "missing";

/** The server's verdict on one citation. `at` is its range in the answer, `span` the cited range in the artifact. */
export type Citation = {
  readonly ref: number;
  readonly at: readonly [number, number];
  readonly state: CitationState;
  readonly quote?: string;
  readonly span?: readonly [number, number];
};

/** A kept text that is open beside the thread, and what of it is meant. */
export type ArtifactRoute = {
  readonly threadId: string;
  readonly ref: number;
  readonly citation: Citation | null;
};

/** What stands beside the thread, one thing at a time. */
export type SidePanelRoute =
  | ({ readonly kind: "artifact" } & ArtifactRoute)
  /** What the model was given for an answer. */
  | {
      readonly kind: "receipts";
      readonly threadId: string;
      /** null: of a call that belongs to none. */
      readonly runId: string | null;
      /** One call of it; left out: the last. */
      readonly receiptId?: string;
    }
  /** What it would be given for a draft. */
  | {
      readonly kind: "preview";
      readonly threadId: string;
      readonly model: string;
      readonly said: DraftContent;
    }
  | { readonly kind: "context"; readonly threadId: string }
  | { readonly kind: "compaction"; readonly threadId: string; readonly compactionId: string };

/** A draft as it stood when it was asked for. */
export type DraftContent = {
  readonly text: string;
  readonly files: readonly { readonly id: string; readonly name: string }[];
};

/** What lies over the page until it is closed. */
export type SheetRoute = LateSheetRoute | ThreadSheetRoute | { readonly kind: "palette" };

/** Something to do to a thread that needs more than a click. */
export type ThreadSheetRoute = { readonly kind: "share" | "rename" | "delete"; readonly threadId: string };

export type LateSheetRoute =
  | { readonly kind: "memory" }
  | { readonly kind: "usage" }
  | { readonly kind: "summary"; readonly threadId: string }
  | { readonly kind: "pin"; readonly threadId: string; readonly messageId: string | null; readonly text: string };
