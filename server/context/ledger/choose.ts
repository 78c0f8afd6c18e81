import type { Counter, LedgerEntry } from "./entry.ts";
import { listWords } from "./kinds.ts";
import { toPattern, type WeighedEntry } from "./weigh.ts";
import { writeLines } from "./write-lines.ts";

/** The values with the highest weight that fit, in their original order. The whole text never exceeds the budget. */
export function chooseLines(weighed: readonly WeighedEntry[], budgetTokens: number, count: Counter) {
  const order = toOrder(weighed);
  let most = guess(order, budgetTokens);
  for (;;) {
    const taken = new Set(order.slice(0, most));
    const kept = weighed.flatMap(({ entry }) => (taken.has(entry) ? [entry] : []));
    const text = writeLines(kept).join("\n");
    const tokens = text === "" ? 0 : count(text);
    if (tokens <= budgetTokens) return { text, tokens, kept: kept.length, dropped: weighed.length - kept.length };
    most = Math.min(most - 1, Math.floor(most * Math.max(0.5, (budgetTokens / tokens) * 0.98)));
  }
}

/** By weight. Repeated values come after all others. */
function toOrder(weighed: readonly WeighedEntry[]): readonly LedgerEntry[] {
  const byWeight = weighed
    .map((one, at) => ({ ...one, at }))
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight || b.at - a.at);
  const shown = new Set<string>();
  const calls = new Set<string>();
  const [first, again]: [LedgerEntry[], LedgerEntry[]] = [[], []];
  for (const { entry } of byWeight) {
    if (shown.has(entry.value)) {
      again.push(entry);
      continue;
    }
    first.push(entry);
    shown.add(entry.value);
    const line = `${entry.depth} ${entry.call} ${entry.args}`;
    if (calls.has(line)) continue;
    calls.add(line);
    // A line begins with the call's arguments, so they need not be repeated.
    for (const word of listWords(entry.args)) shown.add(word);
  }
  return [...first, ...again];
}

/** Tokens of a line's punctuation. */
const LINE = 4;
const SLACK = 1.25;

/** Estimates by characters how many values fit, slightly too many. The caller counts the real tokens. */
function guess(order: readonly LedgerEntry[], budgetTokens: number): number {
  const headings = new Set<string>();
  const isFirst = (heading: string): boolean => headings.size < headings.add(heading).size;
  let left = budgetTokens * SLACK;
  let most = 0;
  for (const { depth, tool, call, args, path, value } of order) {
    left -= value.length / 3 + 1;
    if (isFirst(tool)) left -= tool.length / 4 + LINE;
    if (isFirst(`${depth} ${call} ${args}`)) left -= args.length / 3 + LINE;
    if (isFirst(`${tool} ${toPattern(path)}`)) left -= path.length / 4 + 1;
    if (left < 0) break;
    most += 1;
  }
  return most;
}
