import type { SummaryFields } from "../../protocol/context/summary.ts";
import { clipToTokens } from "../lib/split-sentences.ts";
import { weighSentences, type SourceText, type WeighedTurn } from "./weigh-sentences.ts";
export type { WeighedTurn } from "./weigh-sentences.ts";

type Count = (text: string) => number;

/**
 * Summarizes turns without a model: verbatim sentences, chosen by how central they are and by their numbers, names, decisions,
 * tasks and questions. Works for any language. Pure: the same turns give the same sentences.
 */
export function extractSummary(turns: readonly WeighedTurn[], budgetTokens: number, count: Count): SummaryFields {
  const said = weighSentences(turns);
  const budget = createTokenBudget(budgetTokens, count);
  const chosen = new Set<SourceText>();
  const take = (one: SourceText, most: number): boolean => {
    if (chosen.has(one) || isRepeated(chosen, one) || !budget.pay(one.text, most)) return false;
    chosen.add(one);
    return true;
  };
  const ranked = said.toSorted((a, b) => b.score - a.score || a.order - b.order);
  const points = ranked.filter(({ kind }) => kind === "point" || kind === "decision");
  const overview: SourceText[] = [];
  for (const one of [...points, ...ranked]) {
    if (overview.length < MOST.overview && take(one, budgetTokens * SHARE.overview)) overview.push(one);
  }
  const toolResults = listTools(turns).flatMap(({ name, digest }, index) => {
    const summary = clipToTokens(toLine(digest), TOOL_TOKENS, count);
    if (index >= MOST.tools || summary === "" || !budget.pay(summary, budgetTokens * SHARE.tools)) return [];
    return [{ toolName: name, summary, importance: figures.test(summary) ? ("medium" as const) : ("low" as const) }];
  });
  const open = new Set(listOpen(turns, said));
  for (const one of ranked) {
    if (one.kind === "question" && !open.has(one)) continue;
    take(one, budgetTokens);
  }
  const rest = said.filter((one) => chosen.has(one) && !overview.includes(one));
  const of = (kind: SourceText["kind"]): SourceText[] => rest.filter((one) => one.kind === kind);
  return {
    overview: joinSaid(overview),
    keyPoints: of("point").map(({ text }) => text),
    decisions: of("decision").map(({ text }) => text),
    actionItems: of("todo").map(({ text, before }) => ({
      text,
      context: budget.pay(before, budgetTokens) ? before : "",
    })),
    openQuestions: of("question").map(({ text }) => text),
    toolResults: toolResults.toReversed(),
  };
}

/** `m12 user: ...`, one line for each turn with text, in order; at least the beginning of one. */
export function extractLines(turns: readonly WeighedTurn[], budgetTokens: number, count: Count): readonly string[] {
  const said = weighSentences(turns);
  const prefixes = turns.map(({ depth, role }) => `m${depth} ${role}:`);
  const tools = turns.map((turn) => listTools([turn]).map(({ name, digest }) => `${name} gave: ${toLine(digest)}`));
  const chosen = turns.map((): SourceText[] => []);
  const gave = turns.map((): string[] => []);
  let left = budgetTokens;
  const cost = (turn: number, text: string): number =>
    count(text) + 1 + (chosen[turn]?.length || gave[turn]?.length ? 0 : count(prefixes[turn] ?? "") + 1);
  // A second sentence of a turn must score higher than the first of another turn.
  const open = [...said];
  const used = new Set<string>();
  let misses = 0;
  const worth = (one: SourceText): number => one.score / (1 + (chosen[one.turn]?.length ?? 0));
  while (open.length > 0 && left > LEAST_TOKENS && misses < MOST_MISSES) {
    const index = open.reduce((best, one, at) => (worth(one) > worth(open[best] as SourceText) ? at : best), 0);
    const [one] = open.splice(index, 1) as [SourceText];
    const isFirst = left === budgetTokens;
    const text = isFirst ? clipToTokens(one.text, left - cost(one.turn, ""), count) : one.text;
    const tokens = cost(one.turn, text);
    const isFit = text !== "" && (tokens <= left || isFirst) && !used.has(toKey(one.text));
    misses = isFit ? 0 : misses + 1;
    if (!isFit) continue;
    used.add(toKey(one.text));
    chosen[one.turn]?.push({ ...one, text });
    left -= tokens;
  }
  for (const [turn, texts] of tools.entries()) {
    for (const text of texts.toReversed()) {
      const short = clipToTokens(text, Math.min(TOOL_TOKENS, left - cost(turn, "")), count);
      if (left <= LEAST_TOKENS || short === "") continue;
      left -= cost(turn, short);
      gave[turn]?.unshift(short);
    }
  }
  return turns.flatMap((_, turn) => {
    const texts = [
      ...(chosen[turn] ?? []).toSorted((a, b) => a.order - b.order).map(({ text }) => text),
      ...(gave[turn] ?? []),
    ];
    return texts.length > 0 ? [`${prefixes[turn]} ${texts.map(toLine).join(" ")}`] : [];
  });
}

const MOST = { overview: 3, tools: 6 };
const SHARE = { overview: 0.4, tools: 0.7 };
const TOOL_TOKENS = 60;
/** With fewer tokens left, no further sentence is tried. */
const LEAST_TOKENS = 8;
/** After this many sentences in a row that do not fit, the search stops. */
const MOST_MISSES = 30;
const figures = /\p{N}/u;

/** A token budget. `pay` returns false if the text would exceed the total or `most`. */
function createTokenBudget(total: number, count: Count) {
  let paid = 0;
  return {
    pay: (text: string, most: number): boolean => {
      const tokens = text === "" ? 0 : count(text) + 1;
      if (paid + tokens > Math.min(total, most)) return false;
      paid += tokens;
      return true;
    },
  };
}

/** Newest first, without repeated results. */
function listTools(turns: readonly WeighedTurn[]): readonly { readonly name: string; readonly digest: string }[] {
  const seen = new Set<string>();
  return turns
    .flatMap(({ tools }) => tools)
    .toReversed()
    .filter(({ name, digest }) => {
      const key = `${name} ${digest}`;
      return digest.trim() !== "" && !seen.has(key) && seen.add(key) !== undefined;
    });
}

/** Unanswered questions: those of the last turn. */
function listOpen(turns: readonly WeighedTurn[], said: readonly SourceText[]): readonly SourceText[] {
  const last = turns.length - 1;
  return said.filter(({ kind, turn }) => kind === "question" && turn === last);
}

const isRepeated = (chosen: ReadonlySet<SourceText>, one: SourceText): boolean => {
  const key = toKey(one.text);
  for (const other of chosen) if (toKey(other.text) === key) return true;
  return false;
};
const toKey = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

const joinSaid = (said: readonly SourceText[]): string =>
  said
    .toSorted((a, b) => a.order - b.order)
    .map(({ text }) => text)
    .join(" ");

const toLine = (text: string): string => text.replace(/\s+/g, " ").trim();
