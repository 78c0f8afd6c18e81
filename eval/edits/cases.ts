import type { LineEdit } from "../../server/workspace/workspace.ts";
import { pickOf, type Chance } from "../threads/planted.ts";
import type { Block } from "./blocks.ts";
import {
  between,
  indentOf,
  isBlank,
  join,
  numbers,
  placesOf,
  put,
  toEdit,
  type Case,
  type Make,
  type Set,
} from "./case.ts";
import { alike, markers, twoEllipses } from "./more-cases.ts";

export type { Case } from "./case.ts";

const toCase = (group: string, { block, lines, start }: Set, more: Partial<Case> = {}): Case => {
  const { search, replace } = block;
  const { first, last } = numbers(start, search.length);
  return {
    group,
    text: join(lines),
    edit: toEdit(block, first, last),
    earlier: [],
    expected: join(put(lines, start, search.length, replace)),
    ...more,
  };
};

const shift = (edit: LineEdit, by: number): LineEdit => ({
  ...edit,
  first: Math.max((edit.first ?? 1) + by, 1),
  last: Math.max((edit.last ?? 1) + by, Math.max((edit.first ?? 1) + by, 1)),
});
const isTold = ({ search }: Block): boolean => (search.join("").match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 4;

const exact: Make = (set) => [toCase("exact", set)];

/** The line numbers are stale, but the lines are unique. */
const moved: Make = (set, chance) => {
  if (!isTold(set.block) || placesOf(set.lines, set.block.search).length !== 1) return [];
  const by = pickOf(chance, [-1, 1]) * between(chance, 1, 30);
  const one = toCase("moved", set);
  return [{ ...one, edit: chance() < 0.3 ? toEdit(set.block) : shift(one.edit, by) }];
};

const withCopy = ({ block, lines, start }: Set, filler: () => readonly string[], isBefore: boolean) => {
  const among = filler();
  return isBefore
    ? {
        block,
        lines: [...block.search, ...among, ...lines],
        start: start + block.search.length + among.length,
        copy: 0,
      }
    : { block, lines: [...lines, ...among, ...block.search], start, copy: lines.length + among.length };
};

/** The lines occur several times; the line numbers say which. */
const duplicated: Make = (set, chance, filler) => {
  const double = withCopy(set, () => [], chance() < 0.5);
  const mixed = withCopy(double, filler, chance() < 0.5);
  return [toCase("duplicated", { ...mixed, block: set.block })];
};

/** At several places, and the numbers name none: there is no telling. */
const ambiguous: Make = (set, chance, filler) => {
  const double = withCopy(set, filler, chance() < 0.5);
  const one = toCase("ambiguous", double, { expected: null });
  const edit = chance() < 0.5 ? toEdit(set.block) : shift(one.edit, between(chance, 1, 3));
  const places = placesOf(double.lines, set.block.search);
  return places.some((place) => place + 1 === edit.first) ? [] : [{ ...one, edit }];
};

/** Lines were inserted above since the numbers were read, and the block occurs twice. */
const staleCopy: Make = (set, chance, filler) => {
  const double = withCopy(set, filler, chance() < 0.5);
  const before = double.lines;
  const at = between(chance, 0, double.start);
  const added = Array.from(
    { length: between(chance, 1, 6) },
    (_, n) => `  inserted_${n}(${Math.floor(chance() * 1e6)})`,
  );
  const inBlock = (place: number): boolean => at > place && at < place + set.block.search.length;
  if (inBlock(double.start) || inBlock(double.copy)) return [];
  const lines = put(before, at, 0, added);
  const start = double.start + added.length;
  const expected = join(put(lines, start, set.block.search.length, set.block.replace));
  const one = toCase("stale copy", { ...double, lines, start });
  const { first, last } = numbers(double.start, set.block.search.length);
  return [{ ...one, edit: toEdit(set.block, first, last), earlier: [join(before)], expected }];
};

/** The model wrote the lines with less or more indentation than they have. */
const indented: Make = (set, chance) => {
  const { search, replace } = set.block;
  const all = [...search, ...replace].filter((line) => !isBlank(line));
  const least = all
    .map(indentOf)
    .reduce((short, one) => (one.length < short.length ? one : short), all[0] ? indentOf(all[0]) : "");
  const change = (by: (line: string) => string): Case => ({
    ...toCase("re-indented", set),
    edit: {
      ...toEdit({ ...set.block, search: search.map(by), replace: replace.map(by) }),
      ...(chance() < 0.7 ? numbers(set.start, search.length) : {}),
    },
  });
  const isOnce = isTold(set.block) && placesOf(set.lines, search).length === 1;
  const extra = pickOf(chance, ["  ", "    ", "\t"]);
  const more = change((line) => (isBlank(line) ? line : `${extra}${line}`));
  const less = change((line) => (isBlank(line) ? line : line.slice(least.length)));
  return (least.length > 0 ? [more, less] : [more]).filter(() => isOnce);
};

/** The file has tabs, the model wrote spaces; or two spaces to a step where the file has four. */
const stepped: Make = (set, chance) => {
  const unit = 4;
  // Only indented lines show the indentation.
  if (set.block.search.every((line) => indentOf(line) === "")) return [];
  const isWhole = [...set.lines, ...set.block.replace].every(
    (line) => isBlank(line) || (indentOf(line).length % unit === 0 && !line.startsWith("\t")),
  );
  if (!isWhole || !isTold(set.block) || placesOf(set.lines, set.block.search).length !== 1) return [];
  const toStep = (step: string) => (line: string) =>
    isBlank(line) ? "" : step.repeat(indentOf(line).length / unit) + line.trimStart();
  const [theirs, ours] = pickOf<readonly [string, string]>(chance, [
    ["    ", "\t"],
    ["  ", "\t"],
    ["  ", "    "],
    ["\t", "    "],
  ]);
  const { search, replace } = set.block;
  const lines = set.lines.map(toStep(ours));
  const expected = join(put(lines, set.start, search.length, replace.map(toStep(ours))));
  const block = { ...set.block, search: search.map(toStep(theirs)), replace: replace.map(toStep(theirs)) };
  return [
    {
      ...toCase("tabs and steps", { ...set, lines }),
      edit: { ...toEdit(block), ...numbers(set.start, search.length) },
      expected,
    },
  ];
};

const crlf: Make = (set) => {
  const one = toCase("CRLF", set);
  const pair = (text: string): string => text.replaceAll("\n", "\r\n");
  return [{ ...one, text: pair(one.text), expected: pair(one.expected ?? "") }];
};

/** One line of the block becomes another; the rest is repeated. */
const changeLine = (search: readonly string[], chance: Chance) => {
  const at = between(chance, 0, search.length - 1);
  const line = `${indentOf(search[at] ?? "")}changed_${Math.floor(chance() * 1e6)}()`;
  return { at, line, replace: put(search, at, 1, [line]) };
};

/** Trailing spaces on either side. Repeated lines stay unchanged. */
const trailing: Make = (set, chance) => {
  const { search } = set.block;
  const { at, line, replace } = changeLine(search, chance);
  const spaced = search.map((one) =>
    chance() < 0.5 && !isBlank(one) ? `${one}${pickOf(chance, [" ", "  ", "\t"])}` : one,
  );
  const isInFile = chance() < 0.5;
  const lines = isInFile ? put(set.lines, set.start, search.length, spaced) : set.lines;
  const block = {
    ...set.block,
    search: isInFile ? search : spaced,
    replace: isInFile ? replace : put(spaced, at, 1, [line]),
  };
  const expected = join(put(lines, set.start + at, 1, [line]));
  return [
    {
      ...toCase("ends of lines", { ...set, lines, block }),
      edit: { ...toEdit(block), ...numbers(set.start, search.length) },
      expected,
    },
  ];
};

/** The file has typographic signs and decomposed letters, the model wrote plain ones. */
const unicode: Make = (set, chance) => {
  if (set.block.search.every((line) => isBlank(line))) return [];
  const mark = `${indentOf(set.block.search[0] ?? "")}say("it's a café - naïve")`;
  const search = [...set.block.search, mark];
  const fancy = search.map((line) => (chance() < 0.8 ? toFancy(line, chance) : line));
  const lines = put(set.lines, set.start, set.block.search.length, fancy);
  const { at, line, replace } = changeLine(search, chance);
  const block = { ...set.block, search, replace };
  const expected = join(put(lines, set.start + at, 1, [line]));
  return [
    {
      ...toCase("Unicode", { ...set, lines, block }),
      edit: { ...toEdit(block), ...numbers(set.start, search.length) },
      expected,
    },
  ];
};

const toFancy = (line: string, chance: Chance): string => {
  const [, indent = "", rest = ""] = /^([ \t]*)(.*)$/.exec(line) ?? [];
  const signs = rest
    .replaceAll('"', () => pickOf(chance, ["“", "”", '"']))
    .replaceAll("'", () => pickOf(chance, ["’", "'"]))
    .replaceAll(" - ", () => pickOf(chance, [" – ", " — ", " - "]))
    .replaceAll(/(?<=\S) (?=\S)/g, () => (chance() < 0.1 ? "\u00A0" : " "));
  return indent + (chance() < 0.5 ? signs.normalize("NFD") : signs);
};

/** The middle is left out. */
const ellipsis: Make = (set, chance) => {
  const { search, replace } = set.block;
  const [head, tail] = [search.slice(0, 2), search.slice(-2)];
  const isUsable = [head, tail].every((piece) => piece.some((line) => !isBlank(line)));
  if (search.length < 6 || !isUsable || [...search, ...replace].some((line) => /^\s*(\.\.\.|…)\s*$/.test(line)))
    return [];
  const block = { ...set.block, search: [...head, "...", ...tail] };
  const one = toCase("ellipsis", set);
  const at = { ...toEdit(block), first: one.edit.first, last: one.edit.last };
  const isOnce = placesOf(set.lines, head).length === 1 && placesOf(set.lines, tail).length === 1;
  const far = { ...one, group: "ellipsis, moved", edit: shift(at, between(chance, 1, 20)) };
  return [{ ...one, edit: at }, ...(isOnce && isTold({ ...block, search: [...head, ...tail] }) ? [far] : [])];
};

/** One of the lines has changed, so the intended block is missing. */
const gone: Make = (set, chance) => {
  const { search } = set.block;
  const solid = search.flatMap((line, index) => (isBlank(line) ? [] : [index]));
  const at = solid[Math.floor(chance() * solid.length)] ?? 0;
  const lines = put(set.lines, set.start + at, 1, [
    `${indentOf(search[at] ?? "")}another_${Math.floor(chance() * 1e6)}()`,
  ]);
  if (placesOf(lines, search).length > 0) return [];
  return [toCase("gone", { ...set, lines }, { expected: null })];
};

/** Two edits of the same lines, both from one look at the file. */
const overlapping: Make = (set, chance) => {
  const { search } = set.block;
  const { replace } = changeLine(search, chance);
  const before = set.lines;
  const after = put(before, set.start, search.length, replace);
  const changed = search.findIndex((line, index) => line !== replace[index]);
  const from = Math.max(set.start + changed - between(chance, 0, 3), 0);
  const wanted = before.slice(from, set.start + changed + 1);
  if (placesOf(after, wanted).length > 0 || wanted.every(isBlank)) return [];
  const block = { ...set.block, search: wanted, replace: ["overlapping()"] };
  const edit = { ...toEdit(block), ...numbers(from, wanted.length) };
  return [{ ...toCase("overlapping", set), text: join(after), edit, earlier: [join(before)], expected: null }];
};

/** Several edits of one file, all from one look at it, done one after the other. Some of the lines stand more than once. */
const parallel: Make = (set, chance, filler) => {
  const double = withCopy(set, filler, chance() < 0.5);
  const { lines: first } = double;
  const others = [Math.floor(first.length / 3), Math.floor(first.length / 2), first.length - 3];
  const spans = [
    { start: double.start, length: set.block.search.length, replace: set.block.replace },
    { start: double.copy, length: set.block.search.length, replace: [...set.block.replace, "and_more()"] },
    ...others.map((start, n) => ({
      start,
      length: 2,
      replace: [`other_${n}()`, "with_lines()", "more()"].slice(0, 1 + n),
    })),
  ];
  const apart = spans.filter((span, n) =>
    spans.every(
      (other, m) => m >= n || span.start + span.length <= other.start || other.start + other.length <= span.start,
    ),
  );
  const shuffled = apart.map((span) => ({ span, by: chance() })).toSorted((a, b) => a.by - b.by);
  const done: typeof spans = [];
  let lines: readonly string[] = first;
  const earlier: string[] = [];
  const cases: Case[] = [];
  for (const { span } of shuffled) {
    const search = first.slice(span.start, span.start + span.length);
    if (search.every(isBlank)) continue;
    const start =
      span.start + done.reduce((sum, one) => (one.start < span.start ? sum + one.replace.length - one.length : sum), 0);
    const next = put(lines, start, span.length, span.replace);
    if (join(next) === join(lines)) continue;
    const block = { ...set.block, search, replace: span.replace };
    cases.push({
      group: "parallel",
      text: join(lines),
      edit: { ...toEdit(block), ...numbers(span.start, span.length) },
      earlier: [...earlier],
      expected: join(next),
    });
    earlier.unshift(join(lines));
    done.push(span);
    lines = next;
  }
  return cases;
};

/** The numbers of a view were copied along. */
const numbered: Make = (set) => {
  const { search, replace } = set.block;
  if (search.every(isBlank)) return [];
  const count = (lines: readonly string[]): readonly string[] =>
    lines.map((line, index) => `${set.start + 1 + index}: ${line}`);
  const block = { ...set.block, search: count(search), replace: count(replace) };
  return [{ ...toCase("numbered", set), edit: { ...toEdit(block), ...numbers(set.start, search.length) } }];
};

export const makers: readonly Make[] = [
  exact,
  moved,
  duplicated,
  ambiguous,
  staleCopy,
  indented,
  stepped,
  crlf,
  trailing,
  unicode,
  ellipsis,
  gone,
  overlapping,
  parallel,
  numbered,
  twoEllipses,
  markers,
  alike,
];

/** All that can be asked of a block, set among other lines. */
export function makeCases(given: Block, chance: Chance, filler: () => readonly string[]): readonly Case[] {
  // One blank line and none are the same text.
  const block = { ...given, replace: given.replace.join("\n") === "" ? [] : given.replace };
  const before = filler();
  const set = { block, lines: [...before, ...block.search, ...filler()], start: before.length };
  if (block.search.every(isBlank) || block.search.join("\n") === block.replace.join("\n")) return [];
  return makers.flatMap((make) => make(set, chance, filler));
}
