import { matchLines } from "../diff-lines.ts";
import { expandMarkers } from "./expand-markers.ts";
import { learnIndent } from "./indent.ts";
import { endOf, joinLines, toTexts, withEnds, type Lines } from "../lines.ts";
import { indentOf } from "./loose.ts";
import { isMarker } from "./markers.ts";
import type { Indexed, Match } from "./places.ts";
import { isEllipsis, stripNumbers, toSeam, type Reading } from "./read-search.ts";
import type { LineEdit } from "./replace-lines.ts";

export type Put =
  | { readonly ok: true; readonly text: string; readonly note: string | null }
  | { readonly ok: false; readonly reason: string };

type Putting = {
  readonly edit: LineEdit;
  readonly reading: Reading;
  readonly place: Match;
  readonly file: Indexed;
};

/** The replacement in the place of what was found, literally; indented as the file is, where the search was not. */
export function putLines(whole: Lines, putting: Putting): Put {
  const { edit, reading, place, file } = putting;
  const given = reading.isEnded ? toTexts(edit.replace) : edit.replace === "" ? [] : edit.replace.split(/\r?\n/);
  const written = (reading.isNumbered ? stripNumbers(given) : undefined) ?? given;
  const bare = trimAround(written, reading);
  const shaped = reindent(bare, putting);
  if (!shaped)
    return {
      ok: false,
      reason: `The indentation of the search differs from the file's in a way that cannot be carried over.`,
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
    ? "indented as the file is"
    : isFolded
      ? "found although its spacing or signs differ"
      : null;
  return { ok: true, text: joinLines({ mark: whole.mark, lines }), note: file.texts.length === 0 ? null : note };
}

/** Blank lines around the search that are not in the file are not meant in the replacement either. */
function trimAround(lines: readonly string[], { before, after }: Reading): readonly string[] {
  let [start, end] = [0, lines.length];
  while (start < before && start < end && lines[start]?.trim() === "") start += 1;
  while (lines.length - end < after && end > start && lines[end - 1]?.trim() === "") end -= 1;
  return lines.slice(start, end);
}

/** A line that is repeated from the search stays as the file has it. */
function reindent(lines: readonly string[], { place, file }: Putting): readonly string[] | null {
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

/** Ellipses and markers in the replacement stand for what they stood for in the search, or what a marker alone says. */
function fillHoles(lines: readonly string[], { edit, place, file, reading }: Putting): readonly string[] | string {
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
  "The lines between two ellipses stand more than once there, so it is not sure which are meant: write more of them out, or edit them by themselves.";
const STRAY = "The replacement has an ellipsis that does not stand for one of the search: write its lines out.";
