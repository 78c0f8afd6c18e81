import { explainMiss, quoteLines, toRange } from "./explain.ts";
import { countLines, splitLines, type Lines } from "../lines.ts";
import { findMatches, indexLines, type Indexed, type Match } from "./places.ts";
import { putLines, type Put } from "./put-lines.ts";
import { readSearch, type Reading } from "./read-search.ts";
import { matchLines } from "../diff-lines.ts";

/**
 * LINES REPLACED. In: a file, the lines that are meant, and where they were seen. Out: the file with others in their place, or
 * why not, with the true lines. Whitespace, moved lines and stale numbers are put up with as long as only one place can be
 * meant; where two can, none is touched.
 */
export type LineEdit = {
  readonly path: string;
  readonly search: string;
  readonly replace: string;
  /** As the asker saw them, counted from 1; may be stale. */
  readonly first?: number | undefined;
  readonly last?: number | undefined;
};

export type Edited =
  | {
      readonly ok: true;
      readonly text: string;
      /** The lines that went, as they were counted in the file. */
      readonly first: number;
      readonly last: number;
      /** How it was found, where that was not plain. */
      readonly note: string | null;
    }
  | { readonly ok: false; readonly reason: string };

/** A file at one moment with all places of a search in it, the closest matches only. */
type View = { readonly file: Indexed; readonly places: readonly Match[]; readonly all: readonly Match[] };
type Asked = { readonly edit: LineEdit; readonly reading: Reading };

/** `earlier`: the file as it was before its last few edits: what numbers may have been counted in. */
export function replaceLines(text: string, edit: LineEdit, earlier: readonly string[] = []): Edited {
  const whole = splitLines(text);
  const file = indexLines(whole.lines.map((line) => line.text));
  if (edit.search.trim() === "") return whole.lines.length === 0 ? putWhole(edit) : refuse(NO_SEARCH);
  if (countLines(edit.search) > MOST_SEARCHED) return refuse(TOO_LONG);
  if (edit.first !== undefined && edit.last !== undefined && edit.last < edit.first) {
    return refuse(`The last line (${edit.last}) comes before the first (${edit.first}).`);
  }
  for (const readings of readSearch(edit.search, edit.path, edit)) {
    const [one, other] = readings
      .map((reading) => ({ asked: { edit, reading }, view: look(file, reading) }))
      .filter(({ view }) => view.all.length > 0);
    if (!one) {
      if (readings.some((reading) => stoodThere({ edit, reading }, earlier))) return refuse(wasChanged(file, edit));
      continue;
    }
    // As it is written it stands in one place, by its ellipsis in another that the numbers name.
    const rivals = other?.view.all.filter((place) => isAt(place, other.asked)) ?? [];
    const isNamed = one.view.all.some((place) => isAt(place, one.asked));
    if (rivals.length > 0 && !isNamed) return refuse(twoPlaces(one.view, [...rivals, ...one.view.places]));
    return decide(whole, one.asked, one.view, earlier);
  }
  return refuse(explainMiss(file.texts, edit));
}

/** More lines than these are left out by an ellipsis, or the file is written whole. */
const MOST_SEARCHED = 4_000;
const TOO_LONG = `The search has more than ${MOST_SEARCHED} lines: leave out the middle with a line "...", or write the whole file.`;
const NO_SEARCH = "The search is empty: give the lines that are to be replaced, as they stand in the file.";
const refuse = (reason: string): Edited => ({ ok: false, reason });

const putWhole = ({ replace }: LineEdit): Edited =>
  replace === "" ? refuse(SAME) : { ok: true, text: replace, first: 1, last: 0, note: null };

function look(file: Indexed, { pieces }: Reading): View {
  const all = findMatches(file, pieces);
  const best = all.reduce((least, place) => Math.min(least, distanceOf(place)), Infinity);
  return { file, all, places: all.filter((place) => distanceOf(place) === best) };
}

/** Spaces at the end of a line are seen by nobody: a place with others is as close. */
const distanceOf = ({ level }: Match): number => Math.max(level, 1);

function decide(whole: Lines, asked: Asked, view: View, earlier: readonly string[]): Edited {
  const { edit } = asked;
  const pointed = view.all.filter((place) => isAt(place, asked));
  const [closer] = view.places;
  if (closer && pointed.some((place) => distanceOf(place) > distanceOf(closer)))
    return refuse(twoPlaces(view, [...pointed, ...view.places]));
  const before = traceAll(asked, view, earlier);
  if (before.includes("gone")) return refuse(wasChanged(view.file, edit));
  const meant = [...pointed, ...before.filter((one) => one !== "gone")];
  if (meant.length > 0) return putOne(whole, asked, view, { places: meant, note: null });
  const [only, ...more] = view.places;
  if (!only || more.length > 0) return refuse(manyPlaces(view, edit));
  if (weigh(edit.search) < 4) return refuse(tooLittle(view, only, edit));
  if (only.gaps.length > 0 && edit.first !== undefined && edit.last !== undefined) {
    if (only.end - only.start !== edit.last - edit.first + 1) return refuse(otherLength(view, only, edit));
  }
  if (hadMore(asked, view, earlier)) return refuse(oneWent(view, only));
  const note =
    edit.first === undefined ? null : `found at ${toRange(only.start + 1, only.end)}, not where the numbers said`;
  return putOne(whole, asked, view, { places: [only], note });
}

/** Whether the numbers name this place. */
function isAt({ start, end }: Match, { edit: { first, last }, reading: { before, after } }: Asked): boolean {
  if (first === undefined || last === undefined) return false;
  const [from, to] = [first - 1, last];
  return (from === start && to === end) || (from === start - before && to === end + after);
}

/** As it was, and where a search stood in it. */
const lookBack = (text: string, { reading }: Asked): View =>
  look(indexLines(splitLines(text).lines.map((line) => line.text)), reading);

/** Whether the numbers named these lines before the last edits. */
const stoodThere = (asked: Asked, earlier: readonly string[]): boolean =>
  earlier.some((text) => lookBack(text, asked).places.some((place) => isAt(place, asked)));

/** Where the lines stand now that the numbers named in earlier texts of the file. */
function traceAll(asked: Asked, view: View, earlier: readonly string[]): readonly (Match | "gone")[] {
  const moves: Moved[] = [];
  let next = view.file.texts;
  return earlier.flatMap((text): readonly (Match | "gone")[] => {
    const old = lookBack(text, asked);
    // From each text to the one after it: a single edit tells better what went where than many at once.
    moves.unshift(traceMoves(old.file.texts, next));
    next = old.file.texts;
    const then = old.places.find((place) => isAt(place, asked));
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

const show = ({ texts }: Indexed, { start, end }: Match): string => texts.slice(start, end).join("\n");

/** Before the last edits there were more such places: one of them may be what is meant, and is gone. */
const hadMore = (asked: Asked, view: View, earlier: readonly string[]): boolean =>
  earlier.some((text) => lookBack(text, asked).all.length > view.all.length);

type Meant = { readonly places: readonly Match[]; readonly note: string | null };

/** Several places are one when the result is the same text. */
function putOne(whole: Lines, asked: Asked, view: View, { places, note }: Meant): Edited {
  const puts = new Map<string, Extract<Put, { ok: true }> & { readonly place: Match }>();
  for (const place of places) {
    const put = putLines(whole, { ...asked, place, file: view.file });
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

const SAME = "Nothing would change: what is to be put there is what stands there.";
const NOW = "These are the lines as they stand:\n";

const listPlaces = ({ file }: View, places: readonly Match[]): string => {
  const unique = [...new Map(places.map((place) => [`${place.start}-${place.end}`, place])).values()];
  const shown = unique.slice(0, 5).map(({ start, end }) => quoteLines(file.texts, start - 1, end + 1));
  const rest = unique.length - shown.length;
  return [...shown, ...(rest > 0 ? [`(and ${rest} more places)`] : [])].join("\n--\n");
};

const twoPlaces = (view: View, places: readonly Match[]): string =>
  `More than one place can be meant, so nothing was changed. Add lines before or after to the search, until it fits only one, with the numbers as they are now:\n${listPlaces(view, places)}`;

const manyPlaces = (view: View, { first }: LineEdit): string =>
  `These lines stand at ${view.places.length} places${first === undefined ? "" : ", and not where the numbers say"}, so nothing was changed. Give the line numbers as they are now, or more lines:\n${listPlaces(view, view.places)}`;

const tooLittle = (view: View, place: Match, { first }: LineEdit): string =>
  `The search is too short to be looked for ${first === undefined ? "without line numbers" : "elsewhere than at the line numbers"}. It stands here:\n${quoteLines(view.file.texts, place.start - 2, place.end + 2)}`;

const otherLength = (view: View, place: Match, { first = 0, last = 0 }: LineEdit): string =>
  `The lines around the ellipsis stand at ${toRange(place.start + 1, place.end)}, which is not as many as ${first}-${last}: what the ellipsis stands for may have changed. ${NOW}${quoteLines(view.file.texts, place.start, place.end)}`;

const wasChanged = ({ texts }: Indexed, { first = 1, last = 1 }: LineEdit): string =>
  `Lines ${first}-${last} were changed by an edit before this one, so it is not sure what is meant, and nothing was changed. ${NOW}${quoteLines(texts, first - 3, last + 2)}`;

const oneWent = (view: View, place: Match): string =>
  `There were more of these lines before the last edits; one is left, and it may not be the one that is meant. If it is, give its numbers:\n${quoteLines(view.file.texts, place.start - 1, place.end + 1)}`;

/** Where lines of an earlier text stand by now; null: they were changed, or it cannot be told. */
type Moved = (start: number, end: number) => Range | null;
type Range = { readonly start: number; readonly end: number };

/**
 * Two alignments are made, one from the beginning and one from the end. Where copies of the same lines make them differ, it is
 * not known which copy is the old one, and none is named.
 */
function traceMoves(before: readonly string[], after: readonly string[]): Moved {
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
