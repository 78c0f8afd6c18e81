/**
 * What recall is ranked by, without I/O: texts to passages and terms, a query to weights, places of terms to scores, scores to
 * what is brought back and how it reads. The same input gives the same order on every machine. `server/recall/` holds the index.
 */
export { recallParameters, type RecallParameters } from "./recall/parameters.ts";
export { splitPassages } from "./recall/passages.ts";
export { appendPostings, encodePostings, readPostings, type Filling, type Posting } from "./recall/postings.ts";
export { countTerms, toStems } from "./recall/words.ts";
export { toQuery, type QueryInput, type RecallQuery } from "./recall/query.ts";
export { charactersOf, countDocs, DOC_BYTES, indexMessage, opensMessage, speakerOf, toDocs } from "./recall/docs.ts";
export type { DocList, Docs, IndexedDoc, Passage, SessionStart, Speaker } from "./recall/docs.ts";
export { createScorer, type FindTerm, type Places, type Ranked, type Scorer, type Term } from "./recall/score.ts";
export { findFeedback, listBest, type Scored } from "./recall/choose.ts";
export { estimateTokens, opensDate, renderRecalled, toDate, toLine, type RecalledText } from "./recall/render.ts";
