import { toTerms } from "../../rank/terms.ts";
import type { Counter, LedgerEntry } from "./entry.ts";
import { chooseLines } from "./choose.ts";
import { listWords } from "./kinds.ts";
import { weighAll, type Weighed } from "./weigh.ts";

/** A word that names a thing, against one that merely is the same. */
const NAMED = 3;
const WORD = 0.6;
/** Of a call's score, what calls that share an id with it are given. */
const NEAR = 0.5;
/** Below this nothing is brought back: most questions need none. */
const ENOUGH = 1.2;

export type RecallBudget = {
  readonly tokens: number;
  /** What the model sees already is not told again. */
  readonly isVisible: (value: string) => boolean;
};

/**
 * Values that belong to what is asked now: of calls that a word of the question names, and of those that share an id with
 * them. Empty for most questions.
 */
export function recallLedger(
  entries: readonly LedgerEntry[],
  query: string,
  budget: number | RecallBudget,
  count: Counter,
) {
  const { tokens, isVisible } = typeof budget === "number" ? { tokens: budget, isVisible: () => false } : budget;
  if (tokens <= 0) return { text: "", tokens: 0, kept: 0, dropped: entries.length };
  const groups = Map.groupBy(entries, toGroup);
  const direct = scoreGroups(groups, query);
  const spread = spreadScores(groups, direct);
  const weighed: readonly Weighed[] = weighAll(entries).map(({ entry, weight }) => {
    const score = spread.get(toGroup(entry)) ?? 0;
    return { entry, weight: score < ENOUGH || isVisible(entry.value) ? 0 : weight * score };
  });
  return chooseLines(weighed, tokens, count);
}

const toGroup = ({ depth, call, args }: LedgerEntry): string => `${depth} ${call} ${args}`;

type Groups = ReadonlyMap<string, readonly LedgerEntry[]>;

function scoreGroups(groups: Groups, query: string): ReadonlyMap<string, number> {
  const named = listWords(query);
  const terms = new Set(toTerms(query).filter((term) => term.length > 2));
  const inside = new Map([...groups].map(([key, entries]) => [key, toContent(entries)]));
  const having = new Map<string, number>();
  for (const { words } of inside.values()) for (const word of words) having.set(word, (having.get(word) ?? 0) + 1);
  return new Map(
    [...inside].map(([key, { ids, words }]) => {
      let score = 0;
      for (const id of named) if (ids.has(id)) score += NAMED;
      for (const term of terms)
        if (words.has(term)) score += WORD * Math.log2(1 + groups.size / (having.get(term) ?? 1)) * 0.5;
      return [key, score];
    }),
  );
}

function toContent(entries: readonly LedgerEntry[]) {
  const ids = new Set(entries.filter(({ kind }) => kind === "id").map(({ value }) => value));
  const text = entries.map(({ kind, value }) => (kind === "id" ? "" : value));
  const args = entries[0]?.args ?? "";
  for (const word of listWords(args)) ids.add(word);
  return { ids, words: new Set(toTerms([args, ...text].join(" "))) };
}

function spreadScores(groups: Groups, direct: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const best = new Map<string, number>();
  for (const [key, entries] of groups) {
    const score = direct.get(key) ?? 0;
    if (score < ENOUGH) continue;
    for (const { kind, value } of entries)
      if (kind === "id") best.set(value, Math.max(best.get(value) ?? 0, score * NEAR));
  }
  return new Map(
    [...groups].map(([key, entries]) => {
      const near = entries.reduce(
        (most, { kind, value }) => Math.max(most, kind === "id" ? (best.get(value) ?? 0) : 0),
        0,
      );
      return [key, Math.max(direct.get(key) ?? 0, near)];
    }),
  );
}
