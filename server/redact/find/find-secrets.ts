import { createValueFinder, type SearchValue } from "../known.ts";
import { placeholderPattern } from "../placeholder.ts";
import { findAssignments } from "./assignments.ts";
import { findAddresses, findCommands, findPhrases, findPrivateKeys, findWebKeys } from "./blocks.ts";
import { countLetters } from "./letters.ts";
import type { Finder, Span } from "./span.ts";
import { findTokens } from "./tokens.ts";
import { toAlphabet, visitRuns } from "./runs.ts";

/**
 * Finds all secrets in a text, in order and without overlaps. A value found once is also found everywhere else in the
 * text. Placeholders are never touched, so redacting twice gives the same result as redacting once.
 */
const finders: readonly Finder[] = [
  findPrivateKeys,
  findAddresses,
  findCommands,
  findTokens,
  findAssignments,
  findPhrases,
  findWebKeys,
];
const distinctiveLimit = 200;
/** Replaces characters that the rules must ignore. */
const blank = "\ufffc";
const escape = `${String.fromCharCode(27)}[`;
const terminalCode = new RegExp(`${escape.replace("[", "\\[")}[\\d;]{0,16}[A-Za-z]`, "g");

export function findSecrets(text: string, more: readonly Finder[] = []): readonly Span[] {
  const masked = mask(text);
  const spans: Span[] = [];
  const add = (span: Span): void => void spans.push(span);
  for (const finder of [...more, ...finders]) finder(masked, add);
  findEncoded(findPlain)(masked, add);
  if (spans.length === 0) return [];
  const merged = merge(spans);
  createValueFinder(
    selectDistinctive(merged.map(({ start, end, kind }) => ({ text: masked.slice(start, end), kind }))),
  )(masked, add);
  return merge(spans).flatMap((span) => cutAround(masked, span));
}

/** Searches decoded base64, which is not decoded again; randomness in it is not a sign of a secret. */
function findPlain(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const finder of finders) finder(text, (span) => void spans.push(span));
  return spans.filter(({ kind }) => kind !== "random");
}

/** Masks terminal colors and placeholders without moving other characters. */
function mask(text: string): string {
  const calm = text.includes(escape) ? text.replace(terminalCode, (code) => " ".repeat(code.length)) : text;
  if (!calm.includes("[secret:")) return calm;
  return calm.replace(placeholderPattern, (one) => blank.repeat(one.length));
}

/** Merges overlapping matches, named after the longest. */
function merge(spans: readonly Span[]): readonly Span[] {
  const sorted = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const merged: Span[] = [];
  for (const span of sorted) {
    const last = merged.at(-1);
    if (!last || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) {
      const kind = span.end - span.start > last.end - last.start ? span.kind : last.kind;
      merged[merged.length - 1] = { start: last.start, end: span.end, kind };
    }
  }
  return merged;
}

/** Found values that are distinctive enough to be searched elsewhere in the text. */
export function selectDistinctive(values: Iterable<SearchValue>): readonly SearchValue[] {
  const selected = new Map<string, SearchValue>();
  for (const one of values) {
    if (selected.size >= distinctiveLimit) break;
    if (!selected.has(one.text) && isDistinctive(one.text)) selected.set(one.text, one);
  }
  return [...selected.values()];
}

function isDistinctive(value: string): boolean {
  if (value.length < 7 || value.length > 4_096 || value.includes(blank)) return false;
  const { digits, upper, lower, other, distinct } = countLetters(value);
  return (
    distinct >= 5 && upper + lower > 0 && (digits > 0 || other > 0 || (upper > 1 && lower > 1 && value.length >= 12))
  );
}

/** Removes placeholders from a match; the remaining pieces count if they are long enough. */
function cutAround(text: string, span: Span): readonly Span[] {
  const value = text.slice(span.start, span.end);
  if (!value.includes(blank)) return [span];
  return [...value.matchAll(/[^\ufffc]{6,}/g)]
    .filter(([piece]) => /[A-Za-z0-9]{4}/.test(piece))
    .map((match) => ({
      start: span.start + match.index,
      end: span.start + match.index + match[0].length,
      kind: span.kind,
    }));
}

/**
 * Base64 is decoded and searched. If it contains a secret, the whole run is redacted, because no part of it is safe.
 */
const alphabet = toAlphabet(/[A-Za-z0-9+/_-]/);
const least = 32;
const runLimit = 200_000;

const findEncoded =
  (findSecrets: (text: string) => readonly Span[]): Finder =>
  (text, add) => {
    visitRuns(text, { alphabet, least }, (start, stop) => {
      if (stop - start > runLimit) return;
      let end = stop;
      while (end < stop + 2 && text[end] === "=") end += 1;
      const inside = decodeText(text.slice(start, end));
      if (inside !== undefined && findSecrets(inside).length > 0) add({ start, end, kind: "encoded" });
    });
  };

/** Decodes base64 if it is text. The start is checked first, because most runs are images or hashes. */
function decodeText(value: string): string | undefined {
  if (!isReadable(Buffer.from(value.slice(0, 32), "base64"))) return undefined;
  const bytes = Buffer.from(value, "base64");
  return isReadable(bytes) ? bytes.toString("utf8") : undefined;
}

function isReadable(bytes: Buffer): boolean {
  let strange = 0;
  for (const byte of bytes) if (byte !== 9 && byte !== 10 && byte !== 13 && (byte < 32 || byte > 126)) strange += 1;
  return strange <= bytes.length * 0.05;
}
