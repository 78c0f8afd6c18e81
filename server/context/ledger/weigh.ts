import type { LedgerEntry } from "./entry.ts";
import { listWords } from "./kinds.ts";

/**
 * How likely a value is to be asked for: what names a thing before what is said of it, what was used before, what came
 * lately, what came alone rather than as one of a long list.
 */
export type Weighed = { readonly entry: LedgerEntry; readonly weight: number };

const WEIGHT = { id: 1, gist: 0.55, scalar: 0.3 };
/** Names that often matter later. */
const telling = /(?:status|state|total|amount|price|balance|date|dob|name|type|class|cabin|title|last_four|result)s?$/i;
const TELLING = 0.12;
const USED = 0.75;
const MOST_USES = 3;
const SAID = 0.3;
const BY_ASSISTANT = -0.5;
/** What is left of a matter's weight when it has not been touched for as long as any. */
const OLDEST = 0.55;
/** What each doubling of a list takes from those in it. */
const CROWD = 0.1;

export function weighAll(entries: readonly LedgerEntry[]): readonly Weighed[] {
  const activityOf = findActivity(entries);
  const active = entries.map(activityOf);
  const newest = active.reduce((most, depth) => Math.max(most, depth), 0);
  const oldest = active.reduce((least, depth) => Math.min(least, depth), newest);
  const span = Math.max(1, newest - oldest);
  const rows = countRows(entries);
  return entries.map((entry, at) => {
    const recency = OLDEST + (1 - OLDEST) * (((active[at] ?? oldest) - oldest) / span);
    return { entry, weight: toWorth(entry, rows.get(toColumn(entry)) ?? 1) * recency };
  });
}

function toWorth({ kind, path, tool, uses }: LedgerEntry, rows: number): number {
  const said = tool === "person" ? SAID : tool === "assistant" ? BY_ASSISTANT : 0;
  const named = kind === "scalar" && telling.test(path) ? TELLING : 0;
  const crowd = 1 / (1 + CROWD * Math.log2(rows));
  return (WEIGHT[kind] + said + named) * crowd + USED * Math.min(uses, MOST_USES);
}

/** The places of a list, and ids that serve as names, are all one. */
export const toPattern = (path: string): string =>
  path
    .split(".")
    .map((piece) => (/^\d+$|\d{3}/.test(piece) ? "*" : piece))
    .join(".");

const toColumn = ({ depth, call, args, path }: LedgerEntry): string => `${depth} ${call} ${args} ${toPattern(path)}`;

function countRows(entries: readonly LedgerEntry[]): ReadonlyMap<string, number> {
  const rows = new Map<string, number>();
  for (const entry of entries) rows.set(toColumn(entry), (rows.get(toColumn(entry)) ?? 0) + 1);
  return rows;
}

/**
 * When the matter that a message belongs to was last touched. Messages are of one matter when one names an id that the other
 * was the last to bring: what belongs together grows old together, however many matters are in hand.
 */
function findActivity(entries: readonly LedgerEntry[]): (entry: LedgerEntry) => number {
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
