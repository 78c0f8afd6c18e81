/**
 * Parameters that were tuned by measurement (`eval/locomo.ts`, `eval/beam.ts`). Weights of terms multiply their BM25 score.
 * Weights of passages are added to a score that is normalized to 1.
 */
export const recallParameters = {
  /** Maximum length of a passage. Texts are split at paragraphs or sentences. */
  passageCharacters: 600,
  /** BM25 over passages with their neighbors: saturation, length normalization, exponent of the rarity. */
  saturation: 1.1,
  lengthShare: 0.6,
  rarityPower: 0.9,
  /** Weights of terms in neighboring passages; squared for those two away. */
  before: 0.55,
  after: 0.45,
  /** Used instead of `before` if the previous passage ends with a question. */
  beforeQuestion: 0.8,
  /** Weight of the session's score. */
  session: 0.25,
  sessionSaturation: 1.2,
  sessionLengthShare: 0.75,
  /** A new session starts after a pause this long, or after this many passages. */
  sessionGapMs: 4 * 3_600_000,
  sessionPassages: 250,
  /** Boost for the speaker whom the query names, if the other speaker addresses them by that name. */
  addressed: 0.2,
  addressedName: 0.3,
  /** "I, my" boosts user messages; "did you recommend" boosts answers. */
  mine: 0.7,
  yours: 0.2,
  /** "When" boosts passages with words of time. Passages that end with a question are reduced. */
  when: 0.1,
  asks: 0.1,
  /** Boost for passages on, or soon after, a day that the query names. */
  date: 0.5,
  /** Weight of related words. Larger groups weigh less per word. */
  related: 0.25,
  relatedSpread: 0.3,
  /** Relevance feedback: terms of the best passages. */
  feedback: 0.2,
  feedbackPassages: 5,
  feedbackTerms: 10,
  /** Weights of ids, paths and codes, and of quoted words. */
  exact: 2,
  quoted: 1.5,
  /** A query with fewer content words also uses the previous exchange. */
  fewWords: 3,
  borrowed: 0.2,
  /** The score is divided by this power of the length, so that short passages are preferred. */
  lengthPower: 0.35,
  lengthOffset: 100,
  /** Nothing is recalled if the best passage has less than this share of the query's weight: for questions, and for other queries. */
  gateQuestion: 0.12,
  gate: 0.35,
  /** Maximum terms in a query. */
  mostTerms: 32,
  /** Maximum postings read for all terms together. */
  mostPostings: 20_000,
} as const;

export type RecallParameters = { readonly [K in keyof typeof recallParameters]: number };
