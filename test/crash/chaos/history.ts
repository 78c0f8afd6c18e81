import type { QueuedInput } from "../../../protocol/events.ts";
import type { ThreadSnapshot } from "../../../protocol/api.ts";
import type { Effect } from "../../support/server/effects.ts";
import type { Received } from "../../support/server/event-stream.ts";

/** What clients did and saw while servers died under them, and what stands in the database when all is quiet. */
export type History = {
  readonly acts: readonly Act[];
  readonly threads: readonly ThreadHistory[];
  readonly effects: readonly Effect[];
  /** Rows that `effect_own` committed, by token. */
  readonly ownRows: ReadonlyMap<string, number>;
};

/** `unknown`: sent, but the server died before it answered, and it was not asked again. */
export type Act = {
  readonly threadId: string;
  readonly id: string;
  readonly kind: "message" | "edit" | "regenerate" | "stop";
  readonly text: string;
  readonly state: "acknowledged" | "unknown";
};

export type ThreadHistory = {
  readonly threadId: string;
  /** Over the stream, in the order of arrival, connection after connection. */
  readonly received: readonly Received[];
  /** The whole stream, read again from its beginning at the end. */
  readonly log: readonly Received[];
  readonly snapshot: Pick<ThreadSnapshot, "messages" | "run"> & { readonly queue: readonly QueuedInput[] };
  /** Ids of all acts that the database holds. */
  readonly inputs: ReadonlySet<string>;
};

/** One sentence for each thing that must not be. */
export type Findings = {
  /** Acknowledged or shown, and gone. */
  readonly lost: readonly string[];
  /** There twice, given twice, or done twice. */
  readonly doubled: readonly string[];
  /** Not ended though nothing more happens. */
  readonly stuck: readonly string[];
  /** Other than what was shown or asked before. */
  readonly contradicted: readonly string[];
};
