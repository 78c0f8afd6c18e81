import type { LedgerEntry } from "./entry.ts";
import { listWords } from "./kinds.ts";

/**
 * When the matter that a message belongs to was last touched. Messages are of one matter when one names an id that the other
 * was the last to bring: what belongs together grows old together, however many matters are in hand.
 */
export function findActivity(entries: readonly LedgerEntry[]): (entry: LedgerEntry) => number {
  const parents = new Map<number, number>();
  const find = (depth: number): number => {
    let at = depth;
    for (let up = parents.get(at); up !== undefined && up !== at; up = parents.get(at)) at = up;
    if (at !== depth) parents.set(depth, at);
    return at;
  };
  const join = (a: number, b: number): void => {
    const [one, other] = [find(a), find(b)];
    if (one !== other) parents.set(Math.max(one, other), Math.min(one, other));
  };
  const holders = new Map<string, number>();
  for (const [depth, own] of groupByDepth(entries)) {
    const asked = new Set(own.map(({ args }) => args));
    const named = [...asked].flatMap((args) => [...listWords(args)]).filter((word) => word.length >= 5);
    const said = own.filter(({ tool }) => tool === "person").map(({ value }) => value);
    for (const id of [...named, ...said]) {
      const holder = holders.get(id);
      if (holder !== undefined && /\d/.test(id)) join(depth, holder);
    }
    for (const id of named) holders.set(id, depth);
    for (const { kind, value, tool, uses, lastUsed } of own) {
      if (kind === "id") holders.set(value, depth);
      if (kind === "id" && uses > 0) join(depth, lastUsed);
      if (tool === "person") join(depth, depth + 1);
    }
  }
  const last = new Map<number, number>();
  for (const { depth, lastUsed } of entries) {
    const matter = find(depth);
    last.set(matter, Math.max(last.get(matter) ?? 0, depth, lastUsed));
  }
  return ({ depth, lastUsed }) => last.get(find(depth)) ?? lastUsed;
}

const groupByDepth = (entries: readonly LedgerEntry[]): readonly (readonly [number, readonly LedgerEntry[]])[] =>
  [...Map.groupBy(entries, ({ depth }) => depth)].toSorted(([a], [b]) => a - b);
