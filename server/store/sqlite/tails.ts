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

/** Rows with consecutive seqs whose bodies begin with `head`, from the row with index `row` to the next section. */
type Section = { readonly head: string; readonly seq: number; readonly row: number };

/**
 * Rows of one stream. The bytes after each row's head are kept one after another, because an object and a string for each row
 * take ten times the memory. Only grows, so a snapshot is the same buffers with a smaller count.
 */
type Tail = {
  sections: Section[];
  bytes: Buffer;
  /** Where each row ends in `bytes`. */
  ends: Uint32Array;
  count: number;
};
type Extent = Readonly<Tail>;

const FIRST_BYTES = 512;
const FIRST_ROWS = 32;
/** The text of a delta is the last field of its event. */
const TEXT_FIELD = '"text":';

export function createTails(): Tails {
  const tails = new Map<string, Tail>();

  const remove = (stream: string, after: number): void => {
    const kept = toRows(tails.get(stream), 0).filter(({ seq }) => seq <= after);
    tails.delete(stream);
    for (const { seq, body } of kept) append(stream, seq, body);
  };

  const append = (stream: string, seq: number, body: string): void => {
    let tail = tails.get(stream);
    if (!tail) {
      tail = {
        sections: [],
        bytes: Buffer.allocUnsafeSlow(FIRST_BYTES),
        ends: new Uint32Array(FIRST_ROWS),
        count: 0,
      };
      tails.set(stream, tail);
    }
    appendRow(tail, seq, body);
  };

  return {
    ...toLive((stream) => tails.get(stream)),
    add: ({ stream, bodies }, first) => {
      for (const [n, body] of bodies.entries()) append(stream, first + n, body);
    },
    apply: ({ writes }) => {
      for (const write of writes) {
        const removal = toDeltaRemoval(write);
        if (removal && tails.has(removal.stream)) remove(removal.stream, removal.after);
      }
    },
    clear: () => tails.clear(),
    capture: () => {
      const held = new Map([...tails].map(([stream, tail]) => [stream, { ...tail }]));
      return toLive((stream) => held.get(stream));
    },
  };
}

function appendRow(tail: Tail, seq: number, body: string): void {
  const last = tail.sections.at(-1);
  let head = last?.head ?? "";
  const continues =
    last && seq === last.seq + tail.count - last.row && (head === "" ? !hasText(body) : body.startsWith(head));
  if (!continues) {
    head = hasText(body) ? body.slice(0, body.indexOf(TEXT_FIELD) + TEXT_FIELD.length) : "";
    // A snapshot has the list of before.
    tail.sections = [...tail.sections, { head, seq, row: tail.count }];
  }
  const rest = head === "" ? body : body.slice(head.length);
  const start = tail.ends[tail.count - 1] ?? 0;
  const end = start + Buffer.byteLength(rest);
  if (end > tail.bytes.length) {
    const larger = Buffer.allocUnsafeSlow(Math.max(end, tail.bytes.length * 2));
    tail.bytes.copy(larger, 0, 0, start);
    tail.bytes = larger;
  }
  if (tail.count === tail.ends.length) {
    const larger = new Uint32Array(tail.count * 2);
    larger.set(tail.ends);
    tail.ends = larger;
  }
  tail.bytes.write(rest, start);
  tail.ends[tail.count] = end;
  tail.count += 1;
}

const hasText = (body: string): boolean => body.includes(TEXT_FIELD);

/** O(sections + rows after the cursor). */
function toRows(tail: Extent | undefined, after: number): readonly EventRow[] {
  const rows: EventRow[] = [];
  if (!tail) return rows;
  const { sections, bytes, ends, count } = tail;
  for (const [n, { head, seq, row }] of sections.entries()) {
    const until = sections[n + 1]?.row ?? count;
    for (let at = row + Math.max(0, after + 1 - seq); at < until; at += 1) {
      const rest = bytes.toString("utf8", ends[at - 1] ?? 0, ends[at]);
      rows.push({ seq: seq + at - row, body: head + rest });
    }
  }
  return rows;
}

const toLive = (of: (stream: string) => Extent | undefined): Live => ({
  rows: (stream, after) => toRows(of(stream), after),
  head: (stream) => {
    const tail = of(stream);
    const last = tail?.sections.at(-1);
    return tail && last ? last.seq + tail.count - last.row - 1 : 0;
  },
});
