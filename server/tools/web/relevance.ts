import { findPassage, rank, sharesSubject } from "../../rank/rank.ts";

/** Below it a source is marked; nothing is left out for it. */
export const LOW_RELEVANCE = 0.5;

const STRAYED = 0.5;

/**
 * How much of what is asked is in each text: of the person's question or of the query made from it, whichever fits better.
 * A query that has no word of the question counts half, since its results may be about something else.
 */
export function judgeResults(texts: readonly string[], question: string, query: string): readonly number[] {
  const byQuestion = rank(question, texts);
  const byQuery = rank(query, texts);
  const worth = question.trim() === "" || sharesSubject(question, query) ? 1 : STRAYED;
  return texts.map((_, index) => round(Math.max(byQuestion[index] ?? 0, worth * (byQuery[index] ?? 0))));
}

export type Judged = { readonly relevance: number; readonly passage: string };

/** A page is as relevant as its best passage; without a question it is not judged. */
export function judgePage(title: string, text: string, question: string): Judged | undefined {
  if (question.trim() === "") return undefined;
  const whole = `${title}\n${text}`;
  const best = findPassage(question, whole);
  return { relevance: round(best?.score ?? 0), passage: best ? whole.slice(best.start, best.end) : "" };
}

const round = (score: number): number => Math.round(score * 100) / 100;
