import type { StreamName } from "../../../protocol/ids.ts";
import type { Batch, BatchResult } from "../contract.ts";

/** A locked row of `streams`. `made`: this transaction has just inserted it. */
export type LockedStream = {
  readonly id: string;
  readonly head: number;
  readonly epoch: number;
  /** By the database's clock. */
  readonly free: boolean;
  readonly made?: boolean;
};

/** New values of a stream. `lease`: claimed, released (null) or unchanged (undefined). */
export type StreamState = {
  head: number;
  epoch: number;
  free: boolean;
  lease: { readonly holder: string; readonly ttlMs: number } | null | undefined;
};

type SeqAssignment = {
  readonly results: readonly BatchResult[];
  readonly after: ReadonlyMap<string, Readonly<StreamState>>;
};

/**
 * Decides which batches succeed and assigns the seqs of their events. Pure: it runs while the rows are locked, so its input
 * cannot change before the transaction ends.
 */
export function assignSeqs(batches: readonly Batch[], locked: readonly LockedStream[]): SeqAssignment {
  const states = new Map<string, StreamState>();
  for (const { id, head, epoch, free, made } of locked) {
    if (!made) states.set(id, { head, epoch, free, lease: undefined });
  }
  const stateOf = (stream: StreamName): StreamState => {
    let state = states.get(stream);
    if (!state) states.set(stream, (state = { head: 0, epoch: 0, free: true, lease: undefined }));
    return state;
  };

  const assignBatch = ({ fence, events, revoke }: Batch): BatchResult => {
    const fenced = fence && states.get(fence.stream);
    if (fence) {
      if (!fenced || fenced.epoch !== fence.epoch) return { ok: false, why: "fenced" };
      if (fence.acquire) {
        if (!fenced.free) return { ok: false, why: "fenced" };
        Object.assign(fenced, { epoch: fenced.epoch + 1, free: fence.acquire.ttlMs <= 0, lease: fence.acquire });
      } else if (fence.release) {
        Object.assign(fenced, { free: true, lease: null });
      }
    }
    const epoch = fenced?.epoch ?? null;
    const seqs = events.map(({ stream }) => (stateOf(stream).head += 1));
    const revoked = revoke && states.get(revoke);
    if (revoked) Object.assign(revoked, { epoch: revoked.epoch + 1, free: true, lease: null });
    return { ok: true, seqs, epoch };
  };
  return { results: batches.map(assignBatch), after: states };
}
