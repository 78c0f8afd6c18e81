import { textOf } from "../../protocol/fold.ts";
import type { Part } from "../../protocol/parts.ts";
import { boundResult } from "../../server/context/bound-result.ts";
import { foldLedger, renderLedger, toLedgerTurns, type LedgerEntry } from "../../server/context/ledger/ledger.ts";
import { countTokens } from "../../server/lib/tokens.ts";
import type { Turn } from "../contestant.ts";

/** Texts carried over from the turns before `at`; computed once per thread. */
export type Carry = (thread: readonly Turn[]) => (at: number) => readonly string[];

export type Split = {
  readonly ledgerTokens: number;
  /** The newest turns stand whole: at least so many, and more while they fit. */
  readonly tailTurns: number;
  readonly tailTokens: number;
};

const RESULT_TOKENS = 600;

/** Right after a compaction, when the least is carried: the ledger of the turns before the tail, and the tail. */
export const carryLedger =
  ({ ledgerTokens, tailTurns, tailTokens }: Split): Carry =>
  (thread) => {
    const bodies = thread.map((turn) => listTexts(turn, RESULT_TOKENS).join("\n"));
    const sizes = bodies.map(countTokens);
    const ledgers: (readonly LedgerEntry[])[] = [[]];
    for (const [at, { question, answer }] of thread.entries())
      ledgers.push(foldLedger(ledgers[at] ?? [], toLedgerTurns([question, answer])));
    return (at) => {
      const start = findTail(sizes, at, tailTurns, tailTokens);
      const entries = ledgers[start] ?? [];
      return [renderLedger(entries, ledgerTokens, countTokens).text, ...bodies.slice(start, at)];
    };
  };

/** Only the newest turns, as many as fit. */
export const carryTail =
  (tokens: number): Carry =>
  (thread) => {
    const bodies = thread.map((turn) => listTexts(turn).join("\n"));
    const sizes = bodies.map(countTokens);
    return (at) => bodies.slice(findTail(sizes, at, 0, tokens), at);
  };

/** The last messages, each call and each result counted as one. */
export const carryMessages =
  (most: number): Carry =>
  (thread) => {
    const texts = thread.map((turn) => listTexts(turn));
    return (at) => texts.slice(0, at).flat().slice(-most);
  };

function findTail(sizes: readonly number[], at: number, turns: number, tokens: number): number {
  let [start, size] = [at, 0];
  while (start > 0 && (at - start < turns || size + (sizes[start - 1] ?? 0) <= tokens))
    size += sizes[(start -= 1)] ?? 0;
  return start;
}

const listTexts = ({ question, answer }: Turn, resultTokens = Infinity): readonly string[] => [
  textOf(question.parts),
  ...answer.parts.flatMap((part) => toTexts(part, resultTokens)),
];

function toTexts(part: Part, tokens: number): readonly string[] {
  if (part.kind === "text") return [part.text];
  if (part.kind !== "tool") return [];
  const { text } = boundResult(part.output, { tokens, count: countTokens });
  return [`${part.name}(${JSON.stringify(part.input)})`, text];
}
