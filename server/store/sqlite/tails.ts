import type { Batch } from "../contract.ts";
import type { EventRow, Live } from "../reads/log.ts";
import { toDeltaRemoval, type DeltaBatch } from "./delta-batch.ts";

/** In-memory copy of the deltas in the journal, by stream. The journal itself is read only at startup. */
export type Tails = Live & {
  readonly add: (deltas: DeltaBatch, first: number) => void;
  /** Removes the deltas that an ordinary batch deletes. */
  readonly apply: (batch: Batch) => void;
  /** The journal was moved to `events`. */
  readonly clear: () => void;
  /** An immutable snapshot. */
  readonly capture: () => Live;
};

export function createTails(): Tails {
  const tails = new Map<string, EventRow[]>();

  const remove = (stream: string, after: number): void => {
    const kept = tails.get(stream)?.filter(({ seq }) => seq <= after);
    if (kept?.length) tails.set(stream, kept);
    else tails.delete(stream);
  };

  return {
    ...toLive((stream) => tails.get(stream)),
    add: ({ stream, bodies }, first) => {
      const rows = tails.get(stream) ?? [];
      for (const [n, body] of bodies.entries()) rows.push({ seq: first + n, body });
      tails.set(stream, rows);
    },
    apply: ({ writes }) => {
      for (const write of writes) {
        const removal = toDeltaRemoval(write);
        if (removal) remove(removal.stream, removal.after);
      }
    },
    clear: () => tails.clear(),
    capture: () => {
      const lengths = new Map([...tails].map(([stream, rows]) => [stream, { rows, length: rows.length }]));
      return toLive((stream) => {
        const held = lengths.get(stream);
        return held?.rows.slice(0, held.length);
      });
    },
  };
}

const toLive = (of: (stream: string) => readonly EventRow[] | undefined): Live => ({
  rows: (stream, after) => of(stream)?.filter(({ seq }) => seq > after) ?? [],
  head: (stream) => of(stream)?.at(-1)?.seq ?? 0,
});
