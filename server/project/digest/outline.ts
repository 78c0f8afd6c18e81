import { kinds, type Kind } from "../../../protocol/project/kinds.ts";
import type { OutlineRow } from "../../store/contract.ts";
import { byWorth, chooseRows, groupByKind, type Choice } from "./choose.ts";
import type { Fitting } from "./find-fitting.ts";
import type { Count, Gathered } from "./gather.ts";

/** What is told of a kind, in the order it is read in, and how many there are of it in all. */
export type Section = { readonly kind: Kind; readonly count: Count; readonly rows: readonly OutlineEntry[] };
/** `depth`: below how many of those that are told too. */
export type OutlineEntry = { readonly row: OutlineRow; readonly depth: number };

export type CountLine = (line: string) => number;

type Wanted = {
  readonly exchange: string;
  readonly fitting: Fitting;
  readonly budget: number;
  /** Tokens of a row as it will be written. */
  readonly costOf: (choice: Choice) => number;
};

const NONE: Count = { total: 0, open: 0, overdue: 0 };
/** A kind's heading and what tells of the rest. */
const SECTION_TOKENS = 26;

/** The rows that are worth most, as many as the budget holds: what goes out goes out whole. */
export function chooseSections(gathered: Gathered, { exchange, fitting, budget, costOf }: Wanted): readonly Section[] {
  const choices = listChoices(gathered, exchange, { fitting });
  const present = kinds.filter(({ name }) => (gathered.counts.get(name)?.total ?? 0) > 0);
  const chosen = fitChoices(choices, budget - present.length * SECTION_TOKENS, costOf);
  return present.map((kind) => {
    const rows = chosen.filter((one) => one.kind === kind).map(({ row }) => row);
    return { kind, count: gathered.counts.get(kind.name) ?? NONE, rows: arrange(kind, rows) };
  });
}

type Listing = {
  readonly fitting?: Fitting;
  /** Asked before the caps are applied. */
  readonly isWanted?: (row: OutlineRow) => boolean;
};

export function listChoices(
  { rows, times, index }: Gathered,
  exchange: string,
  { fitting = new Map(), isWanted = () => true }: Listing = {},
): readonly Choice[] {
  const scores = index().score(exchange);
  const relevance = new Map([...rows.keys()].map((id, at) => [id, scores[at] ?? 0]));
  const relevanceOf = ({ id }: OutlineRow): number => relevance.get(id) ?? fitting.get(id)?.share ?? 0;
  const all = [...rows.values(), ...[...fitting.values()].map(({ row }) => row)];
  return [...groupByKind(all)].flatMap(([kind, of]) => chooseRows(kind, of.filter(isWanted), { times, relevanceOf }));
}

export function fitChoices(
  choices: readonly Choice[],
  budget: number,
  costOf: (choice: Choice) => number,
): readonly Choice[] {
  let left = budget;
  return choices.toSorted(byWorth).filter((choice) => {
    const cost = costOf(choice);
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}

/** Documents as a tree, what has a date by it, the rest by what was touched last. */
export function arrange(kind: Kind, rows: readonly OutlineRow[]): readonly OutlineEntry[] {
  if (kind.name === "document") return toTree(rows);
  const dateOf = (row: OutlineRow): number => (kind.ends === "due" ? row.ends_at : row.starts_at) ?? Infinity;
  return rows
    .toSorted((a, b) => compare(dateOf(a), dateOf(b)) || b.updated_at - a.updated_at || (a.id < b.id ? -1 : 1))
    .map((row) => ({ row, depth: 0 }));
}

const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

function toTree(rows: readonly OutlineRow[]): readonly OutlineEntry[] {
  const ids = new Set(rows.map(({ id }) => id));
  const below = Map.groupBy(rows, ({ parent }) => (parent !== null && ids.has(parent) ? parent : ""));
  const visit = (parent: string, depth: number): readonly OutlineEntry[] =>
    (below.get(parent) ?? [])
      .toSorted((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1))
      .flatMap((row) => [{ row, depth }, ...visit(row.id, depth + 1)]);
  return visit("", 0);
}

/** Below how many others a document lies. */
export function depthOf(row: OutlineRow, rows: ReadonlyMap<string, OutlineRow>): number {
  let depth = 0;
  for (let parent = row.parent; parent !== null && depth < DEEPEST; depth += 1)
    parent = rows.get(parent)?.parent ?? null;
  return depth;
}

const DEEPEST = 20;
