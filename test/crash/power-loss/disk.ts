import type { Op } from "./recorder.ts";

type Random = () => number;
type Change = Pick<Op, "kind" | "at" | "bytes">;
type Inode = { readonly durable: Bytes; pending: Change[] };
type NameChange = { readonly name: string; readonly inode: Inode | null };

const SECTOR_BYTES = 512;

/**
 * A simulated disk that guarantees only what the standards require: bytes are durable once their file was synced, a name once
 * its folder was. Any other write may survive a power cut or not, in any order, sector by sector.
 */
export class Disk {
  readonly #names = new Map<string, Inode>();
  #durableNames = new Map<string, Inode>();
  #pendingNames: NameChange[] = [];

  apply(op: Op, random: Random): void {
    if (op.kind === "sync") return this.#sync(op.name);
    if (op.kind === "failed-sync") return this.#failSync(op.name, random);
    if (op.kind === "unlink") return this.#name(op.name, null);
    let inode = this.#names.get(op.name);
    if (!inode) this.#name(op.name, (inode = { durable: new Bytes(), pending: [] }));
    inode.pending.push(op);
  }

  #name(name: string, inode: Inode | null): void {
    if (inode) this.#names.set(name, inode);
    else this.#names.delete(name);
    this.#pendingNames.push({ name, inode });
  }

  #sync(name: string): void {
    if (name === ".") {
      this.#durableNames = new Map(this.#names);
      this.#pendingNames = [];
      return;
    }
    const inode = this.#names.get(name);
    for (const change of inode?.pending ?? []) inode?.durable.apply(change);
    if (inode) inode.pending = [];
  }

  /** Some of the writes reached the disk. The system has forgotten the others: no later sync writes them. */
  #failSync(name: string, random: Random): void {
    const inode = this.#names.get(name);
    for (const change of inode?.pending ?? []) {
      if (change.kind !== "write" || random() < 0.5) inode?.durable.apply(change);
    }
    if (inode) inode.pending = [];
  }

  /** A possible state after a power cut at this moment. Each call returns another one. */
  cut(random: Random): ReadonlyMap<string, Buffer> {
    const keep = random() < 0.3 ? 0 : 0.2 + random() * 0.75;
    const names = new Map(this.#durableNames);
    for (const { name, inode } of this.#pendingNames) {
      if (random() >= keep) continue;
      if (inode) names.set(name, inode);
      else names.delete(name);
    }
    return new Map([...names].map(([name, inode]) => [name, cutFile(inode, keep, random)]));
  }
}

function cutFile({ durable, pending }: Inode, keep: number, random: Random): Buffer {
  const left = pending.filter(() => random() < keep);
  const order = random() < 0.5 ? left : shuffle(left, random);
  const bytes = durable.copy();
  for (const change of order) {
    if (change.kind === "write" && random() < 0.3) tear(bytes, change, random);
    else bytes.apply(change);
  }
  return bytes.toBuffer();
}

/** A random subset of the sectors of a write. */
function tear(bytes: Bytes, { at, bytes: written }: Change, random: Random): void {
  for (let from = 0; from < written.length;) {
    const to = Math.min(written.length, from + SECTOR_BYTES - ((at + from) % SECTOR_BYTES));
    if (random() < 0.5) bytes.apply({ kind: "write", at: at + from, bytes: written.subarray(from, to) });
    from = to;
  }
}

function shuffle<T>(items: readonly T[], random: Random): readonly T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** A growing buffer, filled with zeros. */
class Bytes {
  #buffer = Buffer.alloc(0);
  #size = 0;

  apply({ kind, at, bytes }: Change): void {
    const end = kind === "truncate" ? at : at + bytes.length;
    if (end > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(end, this.#buffer.length * 2));
      this.#buffer.copy(larger, 0, 0, this.#size);
      this.#buffer = larger;
    }
    if (kind === "write") {
      bytes.copy(this.#buffer, at);
      this.#size = Math.max(this.#size, end);
    } else {
      this.#buffer.fill(0, Math.min(at, this.#size), Math.max(at, this.#size));
      this.#size = at;
    }
  }

  copy(): Bytes {
    const copied = new Bytes();
    copied.#buffer = Buffer.from(this.#buffer.subarray(0, this.#size));
    copied.#size = this.#size;
    return copied;
  }

  toBuffer(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }
}
