import { nameSource, toSpokenHit, toSpokenPage, type Spoken } from "../outputs/evidence.ts";
import type { Hit, Page } from "../outputs/read-web.ts";
import { keepDistinct, rankSentences, type Passage } from "../passages.ts";
import { cite } from "../quote.ts";
import { toTerms } from "../terms.ts";
import type { Turn } from "../turn.ts";
import { gather, toKey } from "./gather.ts";

const mostQuotes = 5;
const mostPerSource = 2;
/** The share of the question's weight that a sentence of a page must carry. */
const enough = 0.3;

/** The sentences nearest to the question, from the pages, or else from the results; each with the number to cite it by. */
export const tellFindings = (turn: Turn, subject: string): readonly string[] => {
  const { planned, searches, pages, kept } = gather(turn.made);
  const read = [...pages.filter(({ error }) => error === undefined), ...kept];
  const hits = searches.flatMap((search) => search.hits);
  const done = new Set(searches.map(({ query }) => toKey(query)));
  const open = planned.filter((query) => !done.has(toKey(query)));
  // Searches that the window no longer shows are not open for that.
  const isShown = searches.length > 0 || pages.length === 0;
  return [
    ...quoteBest({ read, hits, subject, said: turn.said }),
    ...(isShown && open.length > 0
      ? [`Planned but not searched: ${open.map((query) => `“${query}”`).join(", ")}.`]
      : []),
  ];
};

type Sources = {
  readonly read: readonly Page[];
  readonly hits: readonly Hit[];
  readonly subject: string;
  readonly said: string;
};

const quoteBest = ({ read, hits, subject, said }: Sources): readonly string[] => {
  if (read.length + hits.length === 0)
    return ["So I have nothing to quote, and as the offline model I make nothing up."];
  if (toTerms(subject).size === 0) return quoteOpenings(read.map(toSpokenPage), said);

  const fromPages = choose(rankSentences(subject, read.map(toSpokenPage)), said);
  if (fromPages.length > 0)
    return [`${iOnlyQuote} Nearest to your question, in what I read:`, ...quoteBySource(fromPages)];
  const fromHits = choose(rankSentences(subject, hits.map(toSpokenHit)), said);
  if (fromHits.length > 0) {
    const pages = read.length > 0 ? "What I read has no sentence near your question. " : "";
    const where = "Nearest to it in the search results, whose pages I did not read:";
    return [`${iOnlyQuote} ${pages}${where}`, ...quoteBySource(fromHits)];
  }
  if (said.includes("> ")) return ["I have quoted what I found; nothing more in it is near your question."];
  const sources = read.length > 0 ? read : hits.slice(0, 4);
  const seen = read.length > 0 ? "I read" : "Found, but not read, were";
  return [`I do not know: no sentence there is near your question. ${seen} ${listSources(sources)}.`];
};

const iOnlyQuote = "I am the offline model and only quote.";

const listSources = (sources: readonly (Page | Hit)[]): string =>
  sources.map(({ title, url, ref }) => `${nameSource(title, url)}${ref === undefined ? "" : ` [${ref}]`}`).join(", ");

const openingSentences = 3;

/** When nothing is asked of a page: how it begins. */
const quoteOpenings = (spoken: readonly Spoken[], said: string): readonly string[] => {
  const quoted = spoken.flatMap(({ speaker, sentences, ref }) => {
    const opening = sentences.filter((text) => isSentence(text) && !said.includes(text)).slice(0, openingSentences);
    return opening.length === 0 ? [] : [`${speaker}:`, ...opening.map((text) => cite(text, ref))];
  });
  if (quoted.length === 0) return ["There is no sentence in it that I could quote."];
  return [`${iOnlyQuote} It begins so:`, ...quoted];
};

const choose = (ranked: readonly Passage[], said: string): readonly Passage[] => {
  const least = Math.max(enough, (ranked[0]?.score ?? 0) * 0.5);
  const fitting = ranked.filter(({ score, text }) => score >= least && isSentence(text) && !said.includes(text));
  const counts = new Map<string, number>();
  return keepDistinct(fitting)
    .filter(({ speaker }) => {
      const count = (counts.get(speaker) ?? 0) + 1;
      counts.set(speaker, count);
      return count <= mostPerSource;
    })
    .slice(0, mostQuotes);
};

/** Headings and menus are words of the page, but say nothing. */
const isSentence = (text: string): boolean =>
  /[.!?…:;。！？"”»)]$/u.test(text) ||
  text.split(/\s+/).length >= 6 ||
  /[\p{Script=Han}\p{Script=Hiragana}]{8,}/u.test(text);

const quoteBySource = (passages: readonly Passage[]): readonly string[] =>
  [...Map.groupBy(passages, ({ speaker }) => speaker)].flatMap(([speaker, own]) => [
    `${speaker}:`,
    ...own.toSorted((a, b) => a.order - b.order).map(({ text, ref }) => cite(text, ref)),
  ]);
