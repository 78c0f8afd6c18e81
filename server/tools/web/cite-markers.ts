import { replaceCodeSpans, replaceFences } from "../../lib/code-spans.ts";

/** A marker `[3]` or `[3, 5]` in an answer, with the claim it supports. Positions are `[start, end)` in the answer. */
export type Marker = {
  readonly refs: readonly number[];
  readonly at: readonly [start: number, end: number];
  /** The text that the marker refers to. */
  readonly claim: string;
  /** A quotation in the claim, as written, without quotation marks. */
  readonly quote: string | undefined;
};

type Span = { readonly start: number; readonly end: number };

const MAX_DIGITS = 6;
const markerForm = new RegExp(`(?<!!)\\[(\\d{1,${MAX_DIGITS}}(?:\\s*[,;]\\s*\\d{1,${MAX_DIGITS}})*)\\](?!:)`, "g");

export function findMarkers(answer: string): readonly Marker[] {
  const text = blankCode(answer);
  const found = [...text.matchAll(markerForm)]
    .map((match) => ({
      refs: [...new Set((match[1] ?? "").split(/[,;]/).map(Number))].filter((ref) => ref > 0),
      start: match.index,
      end: match.index + match[0].length,
    }))
    .filter(({ refs }) => refs.length > 0);
  const quotes = findQuotes(text);
  const stops = findStops(text, quotes);
  return found.map(({ refs, start, end }, index) => {
    const sentence = toSentence(text, start, stops);
    const before = found[index - 1]?.end ?? 0;
    const after = found[index + 1]?.start ?? text.length;
    const [claim, quote] = toClaim(text, { start, end }, { sentence, before, after, quotes });
    return { refs, at: [start, end], claim, quote };
  });
}

/** Replaces code with spaces of the same length, so that positions stay valid. */
function blankCode(answer: string): string {
  const blank = (code: string): string => code.replace(/[^\n]/g, " ");
  return replaceCodeSpans(replaceFences(answer, blank), (code) =>
    code.length > MAX_SPAN_LENGTH || code.includes("\n\n") ? code : blank(code),
  );
}

const MAX_SPAN_LENGTH = 2000;
const quoteForms = [/“[^“”\n]+”/g, /„[^„“”\n]+[“”]/g, /«[^«»\n]+»/g, /»[^«»\n]+«/g, /「[^「」\n]+」/g, /"[^"\n]+"/g];
const MIN_WORDS = 3;
const MIN_CHARACTERS = 15;
const MIN_IDEOGRAPHS = 5;

/** Only quotations of some length: one or two words in quotation marks are usually not a citation. */
function findQuotes(text: string): readonly Span[] {
  return quoteForms
    .flatMap((form) => [...text.matchAll(form)])
    .filter(([quote]) => isLong(quote.slice(1, -1)))
    .map((match) => ({ start: match.index, end: match.index + match[0].length }))
    .toSorted((a, b) => a.start - b.start);
}

const isLong = (quote: string): boolean =>
  quote.trim().split(/\s+/).length >= MIN_WORDS ||
  quote.length >= MIN_CHARACTERS ||
  (quote.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0) >=
    MIN_IDEOGRAPHS;

/** The ends of sentences, except inside quotations. */
function findStops(text: string, quotes: readonly Span[]): readonly number[] {
  const stops = [
    ...text.matchAll(
      /(?<!\b(?:e\.g|i\.e|Dr|Mr|Mrs|St|vs|No|ca|z\. ?B))(?<![.!?…])[.!?…]+["'”’»)]*(?=\s|\[|$)|[。！？]+|\n/gu,
    ),
  ];
  return stops
    .map((match) => ({ start: match.index, end: match.index + match[0].length }))
    .filter(({ start }) => !quotes.some((quote) => start > quote.start && start < quote.end - 2))
    .map(({ end }) => end);
}

/** The sentence that the marker belongs to. The marker may come before or after the full stop. */
function toSentence(text: string, at: number, stops: readonly number[]): Span {
  const isBlank = (start: number): boolean => /^[\s[\],;\d]*$/.test(text.slice(start, at));
  const starts = stops.filter((stop) => stop <= at);
  let last = starts.length - 1;
  while (last >= 0 && isBlank(starts[last] ?? 0) && text[(starts[last] ?? 0) - 1] !== "\n") last--;
  return { start: starts[last] ?? 0, end: stops.find((stop) => stop > at) ?? text.length };
}

type Around = {
  readonly sentence: Span;
  /** The end of the previous marker and the start of the next one. */
  readonly before: number;
  readonly after: number;
  readonly quotes: readonly Span[];
};

function toClaim(text: string, { start, end }: Span, around: Around): readonly [string, string | undefined] {
  const { sentence, before, after, quotes } = around;
  const own = Math.max(sentence.start, before);
  const hasOwn = /[^\s\d[\],;.]/.test(text.slice(own, start));
  const from = hasOwn ? own : sentence.start;
  const said = toWords(text.slice(from, start));
  const quote =
    quotes.findLast((one) => one.start >= from && one.end <= start) ??
    quotes.find((one) => one.start >= end && one.end <= Math.min(sentence.end, after));
  // "As [3] says, ...": the claim follows the marker.
  const claim = said.split(/\s+/).length >= MIN_WORDS ? said : toWords(text.slice(from, Math.min(sentence.end, after)));
  if (quote) return [claim, text.slice(quote.start + 1, quote.end - 1)];
  return [claim, isBlockQuote(text, start) && isLong(said) ? said : undefined];
}

const isBlockQuote = (text: string, at: number): boolean =>
  /^[ \t]*>/.test(text.slice(text.lastIndexOf("\n", at - 1) + 1, at));

/** Removes other markers and the Markdown of lists, headings and quotations. */
const toWords = (text: string): string =>
  text
    .replace(markerForm, " ")
    .replace(/^[\s>#*+-]+/, "")
    .trim();
