/** Places of one term within a block: passages by number, rising, with how often it stands in each. */
export type Posting = { readonly doc: number; readonly count: number };

/** A byte or two for each: the distance to the one before, doubled, and one more when a count above 1 follows. */
export function encodePostings(postings: readonly Posting[]): Uint8Array {
  const bytes: number[] = [];
  let last = -1;
  for (const { doc, count } of postings) {
    writeNumber(bytes, (doc - last - 1) * 2 + (count > 1 ? 1 : 0));
    if (count > 1) writeNumber(bytes, count);
    last = doc;
  }
  return Uint8Array.from(bytes);
}

/** Calls back for every place below `limit`, in order. */
export function readPostings(bytes: Uint8Array, limit: number, visit: (doc: number, count: number) => void): void {
  let at = 0;
  const next = (): number => {
    let [value, shift] = [0, 1];
    for (;;) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
      shift *= 128;
    }
  };
  let doc = -1;
  while (at < bytes.length) {
    const step = next();
    const count = step % 2 === 1 ? next() : 1;
    doc += 1 + Math.floor(step / 2);
    if (doc >= limit) return;
    visit(doc, count);
  }
}

function writeNumber(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
}
