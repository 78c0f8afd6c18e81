import type { LogEntry } from "../log/log.ts";
import type { Write } from "../store/contract.ts";
import type { Claimed } from "./claim.ts";

/** What is committed together with a job's end: all of it, or nothing. */
export type Outcome = { readonly writes: readonly Write[]; readonly events: readonly LogEntry[] };

export const NOTHING: Outcome = { writes: [], events: [] };

export type JobKind = {
  readonly kind: string;
  /** How long it is left alone after its process was last heard of. */
  readonly leaseMs: number;
  readonly maxAttempts: number;
  /** Must stand being done twice. Throwing is a failed attempt, tried again later. */
  readonly run: (job: Claimed, signal: AbortSignal) => Promise<Outcome>;
  /** What stands in place of its outcome when it has failed for good. */
  readonly giveUp?: (job: Claimed, error: Error) => Promise<Outcome>;
  /** Once its outcome is durable; not if the process dies in between. */
  readonly after?: (job: Claimed) => Promise<void>;
};
