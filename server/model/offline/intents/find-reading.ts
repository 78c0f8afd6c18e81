import { isQuestion, toRequest } from "./polite.ts";
import { wishFor, type Wish } from "./wish.ts";

const urlForm = /https?:\/\/[^\s<>"'`\\)\]}」]+|(?<![\p{L}\p{N}@./-])www\.[^\s<>"'`\\)\]}」]+\.[^\s<>"'`\\)\]}」]+/giu;

const verbs =
  /^(?:read|open|summari[sz]e|sum up|look at|check(?: out)?|visit|fetch|scrape|quote|show|get|lies|öffne|fass(?:e)?|zeig(?:e)?|hol(?:e)?|lis|lire|ouvre|résume[rz]?|montre|lee|leer|abre|resume|muestra|leggi|apri|riassumi|mostra|прочитай|прочти|открой|перескажи|резюмируй|покажи)(?![\p{L}\p{N}])/iu;
const unspacedVerbs = /读|讀|打开|打開|总结|總結|看看|概括|読んで|開いて|要約|まとめて|見せて/u;

/** Pages by their address, or a kept text by its number. An address in a story is no request. */
export const findReading = (text: string): Wish | undefined => findPages(text) ?? findKept(text);

const findPages = (text: string): Wish | undefined => {
  const urls = listUrls(text);
  if (urls.length === 0) return undefined;
  const around = toRequest(text.replace(urlForm, " ").replace(/\s+/g, " "));
  const isAsked =
    around === "" || verbs.test(around) || unspacedVerbs.test(around) || isQuestion(text.replace(urlForm, " "));
  return isAsked ? wishFor("scrape_webpage", { urls }) : undefined;
};

const mostUrls = 3;

export const listUrls = (text: string): readonly string[] => {
  const found = [...text.matchAll(urlForm)].map(([url]) => url.replace(/[.,;:!?。，？！]+$/u, ""));
  return [...new Set(found.map((url) => (url.toLowerCase().startsWith("www.") ? `https://${url}` : url)))]
    .filter((url) => URL.canParse(url))
    .slice(0, mostUrls);
};

const nouns =
  "source|artifact|citation|page|text|result|reference|quelle|seite|ergebnis|résultat|fuente|página|resultado|fonte|pagina|risultato|источник|страниц[ау]|результат";
const numbered = new RegExp(
  `\\[(\\d{1,9})\\]|(?<![\\p{L}\\p{N}])(?:${nouns})\\s+(?:no\\.? |nr\\.? |n° ?|#|№ ?)?(\\d{1,9})(?![\\p{L}\\p{N}.,]\\p{N})`,
  "iu",
);
const unspacedNumbered = /(?:来源|來源|资料|出典|ソース|結果)\s*(\d{1,9})/u;

const findKept = (text: string): Wish | undefined => {
  const request = toRequest(text);
  const isAsked =
    verbs.test(request) ||
    unspacedVerbs.test(request) ||
    /^(?:what does|was (?:steht|sagt)|que dit|qué dice|cosa dice|что (?:в|говорит))/iu.test(request);
  const match = numbered.exec(request) ?? unspacedNumbered.exec(request);
  const ref = Number(match?.[1] ?? match?.[2] ?? 0);
  return isAsked && ref > 0 ? wishFor("read_artifact", toKept(request, ref)) : undefined;
};

/** With the words that say what to look for in it. */
const toKept = (request: string, ref: number) => {
  const find = /(?:about|on|regarding|for|über|zu|sur|sobre|riguardo a|о|об|про)\s+(\S.{1,380})$/iu.exec(request)?.[1];
  return find === undefined || /^\W*\d+\W*$/.test(find) ? { ref } : { ref, find };
};

export const findRef = (text: string): Wish | undefined => {
  const ref = Number(/\d{1,9}/.exec(text)?.[0] ?? 0);
  return ref > 0 ? wishFor("read_artifact", toKept(text, ref)) : undefined;
};

const filler =
  /(?<![\p{L}])(?:this|the|page|site|website|article|source|in (?:one|two|three|a few) (?:sentences?|words?|points?)|briefly|diese[rs]?|die|den|seite|artikel|quelle|zusammen|kurz|cette|la|le|page|cet|esta|página|el|artículo|questa|pagina|articolo|эту|страницу|статью|it|and|und|et|y|e|и|about|for me|me)(?![\p{L}])/giu;

/** What a person wants to know of a text, beside which text it is; empty when that is all they say. */
export const toReadingSubject = (text: string): string =>
  toRequest(text.replace(urlForm, " ").replace(/\s+/g, " "))
    .replace(verbs, " ")
    .replace(new RegExp(unspacedVerbs, "gu"), " ")
    .replace(new RegExp(numbered, "giu"), " ")
    .replace(filler, " ")
    .replace(/\s+/g, " ")
    .trim();
