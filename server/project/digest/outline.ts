import { kinds, type Kind } from "../../../protocol/project/kinds.ts";
import type { OutlineRow } from "../../store/contract.ts";
import { byWorth, chooseRows, groupByKind, type Choice } from "./choose.ts";
import type { Matches } from "./find-matches.ts";
import type { Count, ProjectSnapshot } from "./snapshot.ts";

/** The listed rows of a kind in display order, and its total count. */
export type Section = { readonly kind: Kind; readonly count: Count; readonly rows: readonly OutlineEntry[] };
/** `depth`: number of listed ancestors. */
type OutlineEntry = { readonly row: OutlineRow; readonly depth: number };

export type CountLine = (line: string) => number;

type SectionOptions = {
  readonly exchange: string;
  readonly matches: Matches;
  readonly budget: number;
  /** Tokens of a rendered row. */
  readonly costOf: (choice: Choice) => number;
};

const NONE: Count = { total: 0, open: 0, overdue: 0 };
/** The heading of a kind and the line that counts the rest. */
const SECTION_TOKENS = 26;

/** The rows with the highest scores that fit the budget. Rows are never cut. */
export function chooseSections(
  snapshot: ProjectSnapshot,
  { exchange, matches, budget, costOf }: SectionOptions,
): readonly Section[] {
  const choices = listChoices(snapshot, exchange, { matches });
  const present = kinds.filter(({ name }) => (snapshot.counts.get(name)?.total ?? 0) > 0);
  const chosen = fitChoices(choices, budget - present.length * SECTION_TOKENS, costOf);
  return present.map((kind) => {
    const rows = chosen.filter((one) => one.kind === kind).map(({ row }) => row);
    return { kind, count: snapshot.counts.get(kind.name) ?? NONE, rows: arrange(kind, rows) };
  });
}

type ChoiceOptions = {
  readonly matches?: Matches;
  /** Applied before the limits per kind. */
  readonly isWanted?: (row: OutlineRow) => boolean;
};

export function listChoices(
  { rows, times, index }: ProjectSnapshot,
  exchange: string,
  { matches = new Map(), isWanted = () => true }: ChoiceOptions = {},
): readonly Choice[] {
  const scores = index().score(exchange);
  const relevance = new Map([...rows.keys()].map((id, at) => [id, scores[at] ?? 0]));
  const relevanceOf = ({ id }: OutlineRow): number => relevance.get(id) ?? matches.get(id)?.share ?? 0;
  const all = [...rows.values(), ...[...matches.values()].map(({ row }) => row)];
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

/** Documents as a tree, rows with a date by date, the rest by last change. */
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

/** Number of ancestors of a document. */
export function depthOf(row: OutlineRow, rows: ReadonlyMap<string, OutlineRow>): number {
  let depth = 0;
  for (let parent = row.parent; parent !== null && depth < DEEPEST; depth += 1)
    parent = rows.get(parent)?.parent ?? null;
  return depth;
}

const DEEPEST = 20;
