import { explainMiss, quoteLines, toRange } from "./explain.ts";
import { countLines, splitLines, type Lines } from "../lines.ts";
import { findMatches, indexLines, type IndexedLines, type Match } from "./places.ts";
import { putLines, type PutResult } from "./put-lines.ts";
import { readSearch, type Reading } from "./read-search.ts";
import { matchLines } from "../../../protocol/diff-lines.ts";

/**
 * Replaces lines of a file, given the expected lines and where the model saw them. Returns the new file, or the reason for a
 * rejection with the current lines. Tolerates whitespace differences, moved lines and stale numbers as long as only one place
 * matches; if the match is ambiguous, nothing changes.
 */
export type LineEdit = {
  readonly path: string;
  readonly search: string;
  readonly replace: string;
  /** Line numbers as the model saw them, from 1; may be stale. */
  readonly first?: number | undefined;
  readonly last?: number | undefined;
};

export type EditResult =
  | {
      readonly ok: true;
      readonly text: string;
      /** The replaced lines, numbered as before the edit. */
      readonly first: number;
      readonly last: number;
      /** How the lines were found, if not exactly as given. */
      readonly note: string | null;
    }
  | { readonly ok: false; readonly reason: string };

/** A version of the file with the matches of a search. `places`: only the closest ones. */
type View = { readonly file: IndexedLines; readonly places: readonly Match[]; readonly all: readonly Match[] };
type EditRequest = { readonly edit: LineEdit; readonly reading: Reading };

/** `earlier`: versions of the file before its last edits, which the line numbers may refer to. */
export function replaceLines(text: string, edit: LineEdit, earlier: readonly string[] = []): EditResult {
  const whole = splitLines(text);
  const file = indexLines(whole.lines.map((line) => line.text));
  if (edit.search.trim() === "") return whole.lines.length === 0 ? putWhole(edit) : refuse(NO_SEARCH);
  if (countLines(edit.search) > MAX_SEARCHED) return refuse(TOO_LONG);
  if (edit.first !== undefined && edit.last !== undefined && edit.last < edit.first) {
    return refuse(`The last line (${edit.last}) is before the first (${edit.first}).`);
  }
  for (const readings of readSearch(edit.search, edit.path, edit)) {
    const [one, other] = readings
      .map((reading) => ({ request: { edit, reading }, view: look(file, reading) }))
      .filter(({ view }) => view.all.length > 0);
    if (!one) {
      if (readings.some((reading) => matchedEarlier({ edit, reading }, earlier))) return refuse(wasChanged(file, edit));
      continue;
    }
    // The literal search matches one place; with an ellipsis it matches another, which the numbers name.
    const rivals = other?.view.all.filter((place) => isAt(place, other.request)) ?? [];
    const isNamed = one.view.all.some((place) => isAt(place, one.request));
    if (rivals.length > 0 && !isNamed) return refuse(twoPlaces(one.view, [...rivals, ...one.view.places]));
    return decide(whole, one.request, one.view, earlier);
  }
  return refuse(explainMiss(file.texts, edit));
}

/** Longer searches must use an ellipsis, or the whole file must be written. */
const MAX_SEARCHED = 4_000;
const TOO_LONG = `The search has more than ${MAX_SEARCHED} lines. Replace the middle with a line "...", or write the whole file.`;
const NO_SEARCH = "The search is empty. Give the lines to replace, exactly as in the file.";
const refuse = (reason: string): EditResult => ({ ok: false, reason });

const putWhole = ({ replace }: LineEdit): EditResult =>
  replace === "" ? refuse(SAME) : { ok: true, text: replace, first: 1, last: 0, note: null };

function look(file: IndexedLines, { pieces }: Reading): View {
  const all = findMatches(file, pieces);
  const best = all.reduce((least, place) => Math.min(least, distanceOf(place)), Infinity);
  return { file, all, places: all.filter((place) => distanceOf(place) === best) };
}

/** Differences in trailing space do not count. */
const distanceOf = ({ level }: Match): number => Math.max(level, 1);

function decide(whole: Lines, request: EditRequest, view: View, earlier: readonly string[]): EditResult {
  const { edit } = request;
  const pointed = view.all.filter((place) => isAt(place, request));
  const [closer] = view.places;
  if (closer && pointed.some((place) => distanceOf(place) > distanceOf(closer)))
    return refuse(twoPlaces(view, [...pointed, ...view.places]));
  const before = traceAll(request, view, earlier);
  if (before.includes("gone")) return refuse(wasChanged(view.file, edit));
  const meant = [...pointed, ...before.filter((one) => one !== "gone")];
  if (meant.length > 0) return putOne(whole, request, view, { places: meant, note: null });
  const [only, ...more] = view.places;
  if (!only || more.length > 0) return refuse(manyPlaces(view, edit));
  if (weigh(edit.search) < 4) return refuse(tooLittle(view, only, edit));
  if (only.gaps.length > 0 && edit.first !== undefined && edit.last !== undefined) {
    if (only.end - only.start !== edit.last - edit.first + 1) return refuse(otherLength(view, only, edit));
  }
  if (hadMore(request, view, earlier)) return refuse(oneWent(view, only));
  const note =
    edit.first === undefined ? null : `found at ${toRange(only.start + 1, only.end)}, not at the given line numbers`;
  return putOne(whole, request, view, { places: [only], note });
}

/** Whether the numbers name this place. */
function isAt({ start, end }: Match, { edit: { first, last }, reading: { before, after } }: EditRequest): boolean {
  if (first === undefined || last === undefined) return false;
  const [from, to] = [first - 1, last];
  return (from === start && to === end) || (from === start - before && to === end + after);
}

/** An earlier version with the matches in it. */
const lookBack = (text: string, { reading }: EditRequest): View =>
  look(indexLines(splitLines(text).lines.map((line) => line.text)), reading);

/** Whether the numbers matched these lines before the last edits. */
const matchedEarlier = (request: EditRequest, earlier: readonly string[]): boolean =>
  earlier.some((text) => lookBack(text, request).places.some((place) => isAt(place, request)));

/** The current places of the lines that the numbers named in earlier versions. */
function traceAll(request: EditRequest, view: View, earlier: readonly string[]): readonly (Match | "gone")[] {
  const moves: RangeMove[] = [];
  let next = view.file.texts;
  return earlier.flatMap((text): readonly (Match | "gone")[] => {
    const old = lookBack(text, request);
    // Moves are traced from each version to the next, which is easier to trace through single edits.
    moves.unshift(traceMoves(old.file.texts, next));
    next = old.file.texts;
    const then = old.places.find((place) => isAt(place, request));
    if (!then) return [];
    const [only, ...more] = view.places;
    const isSame =
      only && show(view.file, only) === show(old.file, then) && more.length === 0 && old.places.length === 1;
    if (isSame) return [only];
    const now = moves.reduce<Range | null>((range, move) => range && move(range.start, range.end), then);
    const place = now && view.all.find(({ start, end }) => start === now.start && end === now.end);
    return [place ?? "gone"];
  });
}

const show = ({ texts }: IndexedLines, { start, end }: Match): string => texts.slice(start, end).join("\n");

/** There were more matches before the last edits: the intended one may no longer exist. */
const hadMore = (request: EditRequest, view: View, earlier: readonly string[]): boolean =>
  earlier.some((text) => lookBack(text, request).all.length > view.all.length);

type Candidates = { readonly places: readonly Match[]; readonly note: string | null };

/** Several places are equivalent if the resulting text is the same. */
function putOne(whole: Lines, request: EditRequest, view: View, { places, note }: Candidates): EditResult {
  const puts = new Map<string, Extract<PutResult, { ok: true }> & { readonly place: Match }>();
  for (const place of places) {
    const put = putLines(whole, { ...request, place, file: view.file });
    if (!put.ok) return refuse(`${put.reason} ${NOW} ${quoteLines(view.file.texts, place.start, place.end)}`);
    puts.set(put.text, { ...put, place });
  }
  const [one, ...others] = puts.values();
  if (!one || others.length > 0) return refuse(twoPlaces(view, places));
  if (one.text === joinOld(whole)) return refuse(SAME);
  const notes = [note, one.note].filter((part) => part !== null);
  const { start, end } = one.place;
  return { ok: true, text: one.text, first: start + 1, last: end, note: notes.length ? notes.join("; ") : null };
}

const joinOld = ({ mark, lines }: Lines): string => mark + lines.map(({ text, end }) => text + end).join("");
const weigh = (search: string): number => search.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

const SAME = "Nothing would change: the replacement equals the current lines.";
const NOW = "The current lines are:\n";

const listPlaces = ({ file }: View, places: readonly Match[]): string => {
  const unique = [...new Map(places.map((place) => [`${place.start}-${place.end}`, place])).values()];
  const shown = unique.slice(0, 5).map(({ start, end }) => quoteLines(file.texts, start - 1, end + 1));
  const rest = unique.length - shown.length;
  return [...shown, ...(rest > 0 ? [`(and ${rest} more places)`] : [])].join("\n--\n");
};

const twoPlaces = (view: View, places: readonly Match[]): string =>
  `More than one place matches, so nothing was changed. Add lines before or after to the search until only one place matches, with the current line numbers:\n${listPlaces(view, places)}`;

const manyPlaces = (view: View, { first }: LineEdit): string =>
  `These lines occur at ${view.places.length} places${first === undefined ? "" : ", and not at the given line numbers"}, so nothing was changed. Give the current line numbers, or more lines:\n${listPlaces(view, view.places)}`;

const tooLittle = (view: View, place: Match, { first }: LineEdit): string =>
  `The search is too short to be found ${first === undefined ? "without line numbers" : "away from the given line numbers"}. It occurs here:\n${quoteLines(view.file.texts, place.start - 2, place.end + 2)}`;

const otherLength = (view: View, place: Match, { first = 0, last = 0 }: LineEdit): string =>
  `The lines around the ellipsis are at ${toRange(place.start + 1, place.end)}, which is not as many lines as ${first}-${last}. The omitted lines may have changed. ${NOW}${quoteLines(view.file.texts, place.start, place.end)}`;

const wasChanged = ({ texts }: IndexedLines, { first = 1, last = 1 }: LineEdit): string =>
  `Lines ${first}-${last} were changed by an earlier edit, so the match is ambiguous and nothing was changed. ${NOW}${quoteLines(texts, first - 3, last + 2)}`;

const oneWent = (view: View, place: Match): string =>
  `These lines occurred more often before the last edits. One occurrence is left, and it may not be the intended one. If it is, give its line numbers:\n${quoteLines(view.file.texts, place.start - 1, place.end + 1)}`;

/** The current range of earlier lines; null: changed, or ambiguous. */
type RangeMove = (start: number, end: number) => Range | null;
type Range = { readonly start: number; readonly end: number };

/**
 * Aligns the versions from the beginning and from the end. If copies of the same lines make the alignments differ, the line is
 * ambiguous.
 */
function traceMoves(before: readonly string[], after: readonly string[]): RangeMove {
  let made: readonly [readonly number[], readonly number[]] | undefined;
  return (start, end) => {
    made ??= [matchLines(before, after), matchBack(before, after)];
    const [forward, backward] = made;
    const first = forward[start] ?? -1;
    if (first < 0) return null;
    for (let index = start; index < end; index += 1) {
      const wanted = first + index - start;
      if (forward[index] !== wanted || backward[index] !== wanted) return null;
    }
    return { start: first, end: first + end - start };
  };
}

function matchBack(before: readonly string[], after: readonly string[]): readonly number[] {
  const mirrored = matchLines(before.toReversed(), after.toReversed());
  return before.map((_, index) => {
    const found = mirrored[before.length - 1 - index] ?? -1;
    return found < 0 ? -1 : after.length - 1 - found;
  });
}
