import type { PromptMessage } from "../../../protocol/model.ts";
import { toTerms, weightOf } from "./terms.ts";

export type Passage = { readonly speaker: string; readonly text: string };

type Candidate = Passage & { readonly order: number; readonly terms: ReadonlySet<string>; readonly trust: number };

const mostPassages = 3;
/** The share of the question's weight that a sentence must carry to be quoted. */
const enough = 0.45;

/** The sentences of the prompt nearest to the question, best three, in the order they were said; none when none is near. */
export const findPassages = (
  question: string,
  system: string,
  earlier: readonly PromptMessage[],
): readonly Passage[] => {
  const asked = [...toTerms(question)];
  const candidates = toCandidates(system, earlier);
  const weights = new Map(asked.map((term) => [term, weightOf(term) * rarity(term, candidates)]));
  const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  if (whole === 0) return [];

  const scored = candidates
    .map((candidate) => ({ candidate, score: coverage(candidate, weights) / whole }))
    .filter(({ score }) => score >= enough)
    .toSorted((a, b) => b.score - a.score || b.candidate.order - a.candidate.order);
  const best = scored[0]?.score ?? 0;
  return distinct(scored.filter(({ score }) => score >= best * 0.7).map(({ candidate }) => candidate))
    .slice(0, mostPassages)
    .toSorted((a, b) => a.order - b.order);
};

const rarity = (term: string, candidates: readonly Candidate[]): number => {
  const holding = candidates.filter((candidate) => candidate.terms.has(term)).length;
  return Math.log(1 + (candidates.length + 1) / (holding + 0.5));
};

const coverage = (candidate: Candidate, weights: ReadonlyMap<string, number>): number => {
  let sum = 0;
  for (const [term, weight] of weights) if (candidate.terms.has(term)) sum += weight;
  return sum * candidate.trust;
};

const distinct = (candidates: readonly Candidate[]): Candidate[] => {
  const kept: Candidate[] = [];
  for (const one of candidates) {
    if (!kept.some((other) => other.text.includes(one.text) || one.text.includes(other.text))) kept.push(one);
  }
  return kept;
};

const toCandidates = (system: string, earlier: readonly PromptMessage[]): Candidate[] => {
  const spoken: Passage[] = [{ speaker: "My instructions and notes say", text: system }];
  for (const message of earlier) {
    if (message.role === "user") spoken.push({ speaker: "You said", text: message.text });
    else if (message.role === "tool") {
      spoken.push(...message.results.map((one) => ({ speaker: `The tool \`${one.name}\` answered`, text: one.text })));
    } else {
      const text = message.parts.map((part) => (part.kind === "text" ? part.text : "")).join("\n");
      spoken.push({ speaker: "I said", text });
    }
  }
  let order = 0;
  return spoken.flatMap((passage) =>
    toSentences(passage.text).map((text) => ({
      speaker: passage.speaker,
      text,
      order: order++,
      terms: toTerms(text),
      trust: trustIn(passage.speaker, text),
    })),
  );
};

/** A question is seldom an answer, and what I said myself is mostly a quote of somebody else. */
const trustIn = (speaker: string, text: string): number =>
  (/[?？]\s*$/.test(text) ? 0.3 : 1) * (speaker === "I said" ? 0.8 : 1);

const toSentences = (text: string): string[] =>
  text
    .split(/(?<=[.!?…])\s+|(?<=[。！？])|\n+/u)
    .map((sentence) => sentence.replace(/^>\s?/, "").trim())
    .filter((sentence) => sentence !== "");
