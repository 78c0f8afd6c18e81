import { toPassageFinder, type TextRange } from "../../rank/rank.ts";
import { fold, type FoldedText } from "./cite-fold.ts";
import { findMarkers, type Marker } from "./cite-markers.ts";

/**
 * Checks every `[n]` of an answer against the stored texts. A quotation is `verified` only if the text contains it; a statement
 * is `supported` if a passage contains its words and every number; everything else is `unverified`. That does not mean wrong:
 * the check compares words, not meanings, and not across languages.
 */
export type Citation = {
  readonly ref: number;
  /** The marker's range `[start, end)` in the answer, shared by the refs of `[3, 5]`. */
  readonly at: readonly [start: number, end: number];
  readonly quote?: string;
  readonly state: "verified" | "supported" | "unverified" | "missing";
  /** The range `[start, end)` in the cited text. */
  readonly span?: readonly [start: number, end: number];
  /** The ref of the copy that `span` is in, if that is not `ref`. */
  readonly copy?: number;
};

type CitedText = {
  readonly ref: number;
  readonly text: string;
  /** A newer text of the same address: cited as a search result, then read as a page. */
  readonly copy?: { readonly ref: number; readonly text: string };
};

const SUPPORTED = 0.5;

export function checkCitations(answer: string, artifacts: readonly CitedText[]): readonly Citation[] {
  const found = check(answer, artifacts);
  const copies = new Map(artifacts.flatMap(({ ref, copy }) => (copy ? [[ref, copy] as const] : [])));
  if (copies.size === 0) return found;
  const again = check(
    answer,
    artifacts.map(({ ref, text, copy }) => ({ ref, text: copy?.text ?? text })),
  );
  return found.map((citation, index) => {
    const [copy, inCopy] = [copies.get(citation.ref), again[index]];
    const isBetter = copy && inCopy && ranks[inCopy.state] <= ranks[citation.state];
    return isBetter ? { ...inCopy, copy: copy.ref } : citation;
  });
}

const ranks: Readonly<Record<Citation["state"], number>> = { verified: 0, supported: 1, unverified: 2, missing: 3 };

function check(answer: string, artifacts: readonly CitedText[]): readonly Citation[] {
  const texts = new Map(artifacts.map(({ ref, text }) => [ref, open(text)]));
  return findMarkers(answer).flatMap((marker) => checkMarker(marker, texts));
}

/** Folded and indexed lazily, at most once. */
type OpenedText = { readonly folded: () => FoldedText; readonly find: (claim: string) => TextRange | undefined };

function open(text: string): OpenedText {
  let folded: FoldedText | undefined;
  let find: ((claim: string) => TextRange | undefined) | undefined;
  return { folded: () => (folded ??= fold(text)), find: (claim) => (find ??= toPassageFinder(text))(claim) };
}

function checkMarker({ refs, at, claim, quote }: Marker, texts: ReadonlyMap<number, OpenedText>): readonly Citation[] {
  const quoted = refs.map((ref) => {
    const opened = texts.get(ref);
    return quote === undefined || opened === undefined ? undefined : findQuote(quote, opened.folded());
  });
  const isQuoted = quoted.some((span) => span !== undefined);
  return refs.map((ref, index): Citation => {
    const opened = texts.get(ref);
    const cited = { ref, at, ...(quote === undefined ? {} : { quote }) };
    if (opened === undefined) return { ...cited, state: "missing" };
    const span = quoted[index];
    if (span !== undefined) return { ...cited, state: "verified", span };
    // If a marker names several texts, one of them has to contain the quotation.
    if (quote !== undefined && !isQuoted) return { ...cited, state: "unverified" };
    const passage = findSupport(claim, opened);
    return passage === undefined ? { ref, at, state: "unverified" } : { ref, at, state: "supported", span: passage };
  });
}

/** An ellipsis splits a quotation into pieces, which must appear in order. */
function findQuote(quote: string, { text, toOriginal }: FoldedText): readonly [number, number] | undefined {
  const pieces = quote
    .split(/[[(]?(?:…|\.\s?\.\s?\.)[\])]?/)
    .map((piece) => fold(piece.trim().replace(/\[(\p{L})\]/gu, "$1")).text)
    .filter((piece) => piece !== "");
  let start: number | undefined;
  let end = 0;
  for (const piece of pieces) {
    const at = findWhole(text, piece, end);
    if (at < 0) return undefined;
    start ??= at;
    end = at + piece.length;
  }
  return start === undefined ? undefined : toOriginal(start, end);
}

/** Finds the piece at word boundaries only. */
function findWhole(text: string, piece: string, from: number): number {
  const isEdge = (one = " ", other = " "): boolean =>
    one === " " || other === " " || !isSpaced(one) || !isSpaced(other);
  for (let at = text.indexOf(piece, from); at >= 0; at = text.indexOf(piece, at + 1))
    if (isEdge(text[at - 1], piece[0]) && isEdge(piece.at(-1), text[at + piece.length])) return at;
  return -1;
}

const isSpaced = (character: string): boolean =>
  !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(character);

function findSupport(claim: string, opened: OpenedText): readonly [number, number] | undefined {
  const passage = opened.find(claim);
  if (passage === undefined || passage.score < SUPPORTED || !hasNumbers(claim, opened.folded().text)) return undefined;
  return [passage.start, passage.end];
}

/** Whether the text contains every number of the claim. Ignores single digits, which are rarely facts. */
function hasNumbers(claim: string, text: string): boolean {
  const numbers = claim.match(/\d+(?:[.,'’\u00a0\u202f]+\d+)*/g) ?? [];
  return numbers
    .filter((number) => number.length > 1)
    .every((number) => {
      const folded = fold(number).text;
      return hasNumber(text, folded) || hasNumber(text, folded.replaceAll(" ", ""));
    });
}

/** Not as part of a longer number. Letters may follow, as in "240M". */
function hasNumber(text: string, number: string): boolean {
  for (let at = text.indexOf(number); at >= 0; at = text.indexOf(number, at + 1))
    if (!isDigit(text[at - 1]) && !isDigit(text[at + number.length])) return true;
  return false;
}

const isDigit = (character = ""): boolean => character >= "0" && character <= "9";
