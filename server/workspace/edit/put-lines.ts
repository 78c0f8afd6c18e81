import { matchLines } from "../../../protocol/diff-lines.ts";
import { expandMarkers } from "./expand-markers.ts";
import { learnIndent } from "./indent.ts";
import { endOf, joinLines, toTexts, withEnds, type Lines } from "../lines.ts";
import { indentOf } from "./loose.ts";
import { isMarker } from "./markers.ts";
import type { IndexedLines, Match } from "./places.ts";
import { isEllipsis, stripNumbers, toSeam, type Reading } from "./read-search.ts";
import type { LineEdit } from "./replace-lines.ts";

export type PutResult =
  | { readonly ok: true; readonly text: string; readonly note: string | null }
  | { readonly ok: false; readonly reason: string };

type PutInput = {
  readonly edit: LineEdit;
  readonly reading: Reading;
  readonly place: Match;
  readonly file: IndexedLines;
};

/** Inserts the replacement literally, reindented if the search was indented differently from the file. */
export function putLines(whole: Lines, putting: PutInput): PutResult {
  const { edit, reading, place, file } = putting;
  const given = reading.isEnded ? toTexts(edit.replace) : edit.replace === "" ? [] : edit.replace.split(/\r?\n/);
  const written = (reading.isNumbered ? stripNumbers(given) : undefined) ?? given;
  const bare = trimAround(written, reading);
  const shaped = reindent(bare, putting);
  if (!shaped)
    return {
      ok: false,
      reason: `The indentation of the search differs from the file's in a way that cannot be applied to the replacement.`,
    };
  const filled = fillHoles(shaped, putting);
  if (typeof filled === "string") return { ok: false, reason: filled };
  const old = whole.lines.slice(place.start, place.end);
  const lines = [
    ...whole.lines.slice(0, place.start),
    ...withEnds(filled, old, endOf(whole.lines)),
    ...whole.lines.slice(place.end),
  ];
  const isReindented = place.level >= 2 && shaped.some((text, index) => indentOf(text) !== indentOf(bare[index] ?? ""));
  const isFolded = place.level >= 3;
  const note = isReindented
    ? "reindented to match the file"
    : isFolded
      ? "matched despite different spacing or characters"
      : null;
  return { ok: true, text: joinLines({ mark: whole.mark, lines }), note: file.texts.length === 0 ? null : note };
}

/** Drops blank lines around the replacement that the search has but the file does not. */
function trimAround(lines: readonly string[], { before, after }: Reading): readonly string[] {
  let [start, end] = [0, lines.length];
  while (start < before && start < end && lines[start]?.trim() === "") start += 1;
  while (lines.length - end < after && end > start && lines[end - 1]?.trim() === "") end -= 1;
  return lines.slice(start, end);
}

/** Lines repeated from the search keep the file's version. */
function reindent(lines: readonly string[], { place, file }: PutInput): readonly string[] | null {
  if (place.level === 0) return lines;
  const wanted = place.pairs.map((pair) => pair.wanted);
  const kept = new Map<number, string>();
  for (const [index, other] of matchLines(wanted, lines).entries()) {
    if (other >= 0) kept.set(other, place.pairs[index]?.line ?? "");
  }
  const toIndent =
    place.level === 1 ? (indent: string) => indent : learnIndent(place.pairs, file.texts, [...wanted, ...lines]);
  const shaped = lines.map((line, index) => {
    const old = kept.get(index);
    if (old !== undefined || line.trim() === "") return old ?? line;
    const indent = toIndent(indentOf(line));
    return indent === null ? null : indent + line.slice(indentOf(line).length);
  });
  return shaped.every((line) => line !== null) ? shaped : null;
}

const CODE = /\.(?:[cm]?[jt]sx?|css|scss|less|html?|json|vue|svelte)$/i;

/** Replaces ellipses and markers by the lines they matched in the search, or by the lines that a marker keeps. */
function fillHoles(lines: readonly string[], { edit, place, file, reading }: PutInput): readonly string[] | string {
  const range = file.texts.slice(place.start, place.end);
  const standing = new Set(range.map((line) => line.trim()));
  const isHole = (line: string): boolean => {
    if (standing.has(line.trim())) return false;
    return isMarker(line, edit.path) || (isEllipsis(line) && (place.gaps.length > 0 || CODE.test(edit.path)));
  };
  const holes = lines.filter(isHole).map(toSeam);
  if (holes.length === 0) return lines;
  if (holes.join("\n") === reading.seams.map(toSeam).join("\n")) {
    if (place.isVague) return VAGUE;
    const gaps = [...place.gaps];
    return lines.flatMap((line) => {
      const gap = isHole(line) ? gaps.shift() : undefined;
      return gap ? file.texts.slice(gap.start, gap.end) : [line];
    });
  }
  if (holes.includes("...")) return STRAY;
  const expanded = expandMarkers(range, lines, edit.path);
  return expanded.ok ? expanded.lines : expanded.reason;
}

const VAGUE =
  "The lines between two ellipses occur more than once there, so the match is ambiguous. Write out more lines, or edit them separately.";
const STRAY = "The replacement has an ellipsis that is not in the search. Write its lines out.";
