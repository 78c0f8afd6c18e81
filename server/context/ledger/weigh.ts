import type { LedgerEntry } from "./entry.ts";
import { listWords } from "./kinds.ts";

/**
 * The weight estimates how likely a value is needed later. Ids weigh more than attributes, used values more than unused, recent
 * more than old, single values more than those of a long list.
 */
export type WeighedEntry = { readonly entry: LedgerEntry; readonly weight: number };

const WEIGHT = { id: 1, gist: 0.55, scalar: 0.3 };
/** Attributes that are often needed later. */
const telling = /(?:status|state|total|amount|price|balance|date|dob|name|type|class|cabin|title|last_four|result)s?$/i;
const TELLING = 0.12;
const USED = 0.75;
const MOST_USES = 3;
const SAID = 0.3;
const BY_ASSISTANT = -0.5;
/** The factor for the topic that was inactive for longest. */
const OLDEST = 0.55;
/** Reduction per doubling of the list's length. */
const CROWD = 0.1;

export function weighAll(entries: readonly LedgerEntry[]): readonly WeighedEntry[] {
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

/** Replaces list indices, and ids used as keys, by `*`. */
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
 * The last activity of the topic that a message belongs to. Two messages share a topic if one uses an id that the other was the
 * last to introduce. So the values of a topic age together, even if several topics alternate.
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
    const topic = find(depth);
    last.set(topic, Math.max(last.get(topic) ?? 0, depth, lastUsed));
  }
  return ({ depth, lastUsed }) => last.get(find(depth)) ?? lastUsed;
}

const groupByDepth = (entries: readonly LedgerEntry[]): readonly (readonly [number, readonly LedgerEntry[]])[] =>
  [...Map.groupBy(entries, ({ depth }) => depth)].toSorted(([a], [b]) => a - b);
