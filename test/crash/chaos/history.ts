import type { QueuedInput } from "../../../protocol/events.ts";
import type { ThreadSnapshot } from "../../../protocol/api.ts";
import type { Effect } from "../../support/server/effects.ts";
import type { StreamEvent } from "../../support/server/event-stream.ts";

/** The actions and received events of clients while servers were killed, and the database content after all runs have ended. */
export type History = {
  readonly acts: readonly Act[];
  readonly threads: readonly ThreadHistory[];
  readonly effects: readonly Effect[];
  /** Rows that `effect_own` committed, by token. */
  readonly ownRows: ReadonlyMap<string, number>;
};

/** `unknown`: sent, but the server died before it responded, and the request was not repeated. */
export type Act = {
  readonly threadId: string;
  readonly id: string;
  readonly kind: "message" | "edit" | "regenerate" | "stop";
  readonly text: string;
  readonly state: "acknowledged" | "unknown";
};

export type ThreadHistory = {
  readonly threadId: string;
  /** Received from the stream, in order of arrival over all connections. */
  readonly received: readonly StreamEvent[];
  /** The complete stream, read again at the end. */
  readonly log: readonly StreamEvent[];
  readonly snapshot: Pick<ThreadSnapshot, "messages" | "run"> & { readonly queue: readonly QueuedInput[] };
  /** Ids of all inputs in the database. */
  readonly inputs: ReadonlySet<string>;
};

/** One sentence per error. */
export type Findings = {
  /** Acknowledged or shown, but not stored. */
  readonly lost: readonly string[];
  /** Stored, sent or executed twice. */
  readonly doubled: readonly string[];
  /** Not ended although no more work is in progress. */
  readonly stuck: readonly string[];
  /** Differs from earlier events or from the request. */
  readonly contradicted: readonly string[];
};
