import type { Batch } from "../contract.ts";
import type { EventRow, Live } from "../reads/log.ts";
import { toForgotten, type DeltaBatch } from "./delta-batch.ts";

/** The deltas that stand in the journal, kept at hand: the journal is written in the order of time and read by nobody. */
export type Tails = Live & {
  readonly add: (deltas: DeltaBatch, first: number) => void;
  /** What a batch of another kind takes away. */
  readonly apply: (batch: Batch) => void;
  /** The journal was moved to `events`. */
  readonly clear: () => void;
  /** As they are now, whatever comes. */
  readonly capture: () => Live;
};

export function createTails(): Tails {
  const tails = new Map<string, EventRow[]>();

  const forget = (stream: string, after: number): void => {
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
        const forgotten = toForgotten(write);
        if (forgotten) forget(forgotten.stream, forgotten.after);
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
