/** A passage of a block that contains a term, and how often. Postings are sorted by passage. */
export type Posting = { readonly doc: number; readonly count: number };

type PackedPostings = { readonly bytes: Uint8Array; readonly count: number };

/**
 * Drops packed postings at or beyond `limit`, then appends others. Each takes a byte or two: twice the distance to the previous
 * one, plus one if a count above 1 follows.
 */
export function appendPostings(before: Uint8Array, limit: number, added: readonly Posting[]): PackedPostings {
  const { end, last, count: kept } = findEnd(before, limit);
  const bytes: number[] = [];
  let doc = last;
  for (const { doc: next, count } of added) {
    writeNumber(bytes, (next - doc - 1) * 2 + (count > 1 ? 1 : 0));
    if (count > 1) writeNumber(bytes, count);
    doc = next;
  }
  const all = new Uint8Array(end + bytes.length);
  all.set(before.subarray(0, end));
  all.set(bytes, end);
  return { bytes: all, count: kept + added.length };
}

export const encodePostings = (postings: readonly Posting[]): Uint8Array => appendPostings(nothing, 0, postings).bytes;

const nothing = new Uint8Array(0);

/** Target of unpacking: passages and counts, from `size` on. */
export type Filling = { readonly docs: Int32Array; readonly counts: Uint16Array; size: number };

/** Unpacks the postings below `limit` and adds `offset` to each passage. */
export function readPostings(bytes: Uint8Array, limit: number, offset: number, into: Filling): void {
  const { docs, counts } = into;
  let [at, doc, size] = [0, -1, into.size];
  while (at < bytes.length) {
    let byte = bytes[at++] ?? 0;
    let step = byte & 127;
    for (let shift = 128; byte >= 128; shift *= 128) {
      byte = bytes[at++] ?? 0;
      step += (byte & 127) * shift;
    }
    let count = 1;
    if (step % 2 === 1) {
      byte = bytes[at++] ?? 0;
      count = byte & 127;
      for (let shift = 128; byte >= 128; shift *= 128) {
        byte = bytes[at++] ?? 0;
        count += (byte & 127) * shift;
      }
    }
    doc += 1 + Math.floor(step / 2);
    if (doc >= limit) break;
    docs[size] = doc + offset;
    counts[size++] = count;
  }
  into.size = size;
}

type End = { readonly end: number; readonly last: number; readonly count: number };

/** The end of the postings below `limit` in bytes, the last passage, and their number. */
function findEnd(bytes: Uint8Array, limit: number): End {
  let [at, doc, count] = [0, -1, 0];
  const next = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const start = at;
    const step = next();
    if (step % 2 === 1) next();
    const here = doc + 1 + Math.floor(step / 2);
    if (here >= limit) return { end: start, last: doc, count };
    doc = here;
    count += 1;
  }
  return { end: at, last: doc, count };
}

function writeNumber(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
}
