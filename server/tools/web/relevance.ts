import { findPassage, rank, sharesSubject } from "../../rank/rank.ts";

/** Sources below this are marked as less relevant, but not dropped. */
export const LOW_RELEVANCE = 0.5;

const OFF_TOPIC_FACTOR = 0.5;

/**
 * Rates each text against the user's question and against the query, and takes the better score. A query that shares no word
 * with the question counts half, because its results may be off topic.
 */
export function judgeResults(texts: readonly string[], question: string, query: string): readonly number[] {
  const byQuestion = rank(question, texts);
  const byQuery = rank(query, texts);
  const worth = question.trim() === "" || sharesSubject(question, query) ? 1 : OFF_TOPIC_FACTOR;
  return texts.map((_, index) => round(Math.max(byQuestion[index] ?? 0, worth * (byQuery[index] ?? 0))));
}

export type PageRelevance = { readonly relevance: number; readonly passage: string };

/** Rates a page by its best passage. Returns undefined without a question. */
export function judgePage(title: string, text: string, question: string): PageRelevance | undefined {
  if (question.trim() === "") return undefined;
  const whole = `${title}\n${text}`;
  const best = findPassage(question, whole);
  return { relevance: round(best?.score ?? 0), passage: best ? whole.slice(best.start, best.end) : "" };
}

const round = (score: number): number => Math.round(score * 100) / 100;
