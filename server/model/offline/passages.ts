import type { PromptMessage } from "../../../protocol/model.ts";
import { listEvidence, type Spoken } from "./outputs/evidence.ts";
import { toSentences } from "./sentences.ts";
import { toTerms, weightOf } from "./terms.ts";

export type Passage = {
  readonly speaker: string;
  readonly text: string;
  readonly ref: number | undefined;
  /** The share of the question's weight that it carries. */
  readonly score: number;
  readonly order: number;
};

type Candidate = Omit<Passage, "score"> & { readonly terms: ReadonlySet<string>; readonly trust: number };

const mostPassages = 3;
/** What a sentence of the conversation must carry to be quoted. */
const enough = 0.45;

/** Where quotes may come from, oldest first. */
type Given = {
  readonly system: string;
  readonly told: readonly Spoken[];
  readonly earlier: readonly PromptMessage[];
};

/** The sentences of the prompt nearest to the question, best three, in the order they were said; none when none is near. */
export const findPassages = (question: string, given: Given, least: number = enough): readonly Passage[] => {
  const scored = rankSentences(question, listSpoken(given)).filter(({ score }) => score >= least);
  const best = scored[0]?.score ?? 0;
  return keepDistinct(scored.filter(({ score }) => score >= best * 0.7))
    .slice(0, mostPassages)
    .toSorted((a, b) => a.order - b.order);
};

/** Best first; of equals the later. */
export const rankSentences = (question: string, spoken: readonly Spoken[]): readonly Passage[] => {
  const asked = [...toTerms(question)];
  const candidates = toCandidates(spoken);
  const weights = new Map(asked.map((term) => [term, weightOf(term) * rarity(term, candidates)]));
  const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  if (whole === 0) return [];
  return candidates
    .map(({ terms, trust, ...passage }) => ({ ...passage, score: (carry(terms, weights) * trust) / whole }))
    .toSorted((a, b) => b.score - a.score || b.order - a.order);
};

const rarity = (term: string, candidates: readonly Candidate[]): number => {
  const holding = candidates.filter((candidate) => candidate.terms.has(term)).length;
  return Math.log(1 + (candidates.length + 1) / (holding + 0.5));
};

const carry = (terms: ReadonlySet<string>, weights: ReadonlyMap<string, number>): number => {
  let sum = 0;
  for (const [term, weight] of weights) if (terms.has(term)) sum += weight;
  return sum;
};

export const keepDistinct = (passages: readonly Passage[]): readonly Passage[] => {
  const kept: Passage[] = [];
  for (const one of passages) {
    if (!kept.some((other) => other.text.includes(one.text) || one.text.includes(other.text))) kept.push(one);
  }
  return kept;
};

const toCandidates = (spoken: readonly Spoken[]): readonly Candidate[] =>
  spoken
    .flatMap(({ speaker, sentences, ref, trust = 1 }) => sentences.map((text) => ({ speaker, text, ref, trust })))
    .map((one, order) => ({ ...one, order, terms: toTerms(one.text), trust: one.trust * trustIn(one.text) }));

/** A question is seldom an answer. */
const trustIn = (text: string): number => (/[?？]\s*$/.test(text) ? 0.3 : 1);

/** What I said myself is mostly a quote of somebody else. */
const trustInMe = 0.8;

const listSpoken = ({ system, told, earlier }: Given): readonly Spoken[] => [
  { speaker: "My instructions and notes say", sentences: toSentences(system) },
  ...told,
  ...earlier.flatMap((message): readonly Spoken[] => {
    if (message.role === "user") return [{ speaker: "You said", sentences: toSentences(message.text) }];
    if (message.role === "tool") return message.results.flatMap(listEvidence);
    const text = message.parts.map((part) => (part.kind === "text" ? part.text : "")).join("\n");
    return [{ speaker: "I said", sentences: toSentences(text), trust: trustInMe }];
  }),
];
