/**
 * Everything that was chosen by measuring (`eval/locomo.ts`, `eval/beam.ts`), in one place. Weights of terms are factors of
 * their BM25; weights of places are added to a score whose best turn has 1.
 */
export const recallParameters = {
  /** A text is cut into passages of at most so many characters, at paragraphs or sentences. */
  passageCharacters: 600,
  /** BM25 over keys: saturation, share of the length, power of a term's rarity. */
  saturation: 1.1,
  lengthShare: 0.6,
  rarityPower: 0.9,
  /** The key of a turn holds its neighbours' terms by these weights, their squares for those two away. */
  before: 0.55,
  after: 0.45,
  /** Where the turn before ends in a question, of which this one is likely the answer. */
  beforeQuestion: 0.8,
  /** A share of the session's own score. */
  session: 0.25,
  sessionSaturation: 1.2,
  sessionLengthShare: 0.75,
  /** A pause as long as this opens a session; so does this many passages without one. */
  sessionGapMs: 4 * 3_600_000,
  sessionPassages: 250,
  /** The query names somebody whom the other side addresses: what that one said. */
  addressed: 0.2,
  addressedName: 0.3,
  /** "I, my": what the person said. "Did you recommend": what the assistant said. */
  mine: 0.7,
  yours: 0.2,
  /** "When" finds what has words of time; a turn that only asks holds few answers. */
  when: 0.1,
  asks: 0.1,
  /** What was said on a day that the query names, or soon after. */
  date: 0.5,
  /** Words of one kind with a word of the query, less the more of them there are. */
  related: 0.25,
  relatedSpread: 0.3,
  /** Second look: the telling words of the best turns. */
  feedback: 0.2,
  feedbackPassages: 5,
  feedbackTerms: 10,
  /** Ids, paths, codes; words within quotes. */
  exact: 2,
  quoted: 1.5,
  /** A query of fewer content words borrows the exchange before it. */
  fewWords: 3,
  borrowed: 0.2,
  /** A passage is worth its score over this power of its length, so that short ones come before long ones. */
  lengthPower: 0.35,
  lengthOffset: 100,
  /** Nothing is recalled when the best key holds less than this share of the query's weight: of a question, of anything else. */
  gateQuestion: 0.12,
  gate: 0.35,
  /** At most so many terms of a query, and so many postings of all of them together. */
  mostTerms: 32,
  mostPostings: 20_000,
} as const;

export type RecallParameters = { readonly [K in keyof typeof recallParameters]: number };
