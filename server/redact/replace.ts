import { findSecrets } from "./find/find-secrets.ts";
import type { Finder, Span } from "./find/span.ts";
import type { Finding, RedactedValue } from "./finding.ts";
import type { ToPlaceholder } from "./placeholder.ts";

export type RedactOptions = { readonly more: readonly Finder[]; readonly toPlaceholder: ToPlaceholder };

const maxRounds = 8;

/**
 * Redacts a text until nothing more is found: replacing a secret may join text that then forms another one. So
 * redacting the result again changes nothing.
 */
export function redactText(text: string, { more, toPlaceholder }: RedactOptions): RedactedValue<string> {
  let value = text;
  let found: readonly Finding[] = [];
  for (let round = 0; round < maxRounds; round += 1) {
    const spans = findSecrets(value, more);
    if (spans.length === 0) break;
    const next = replaceSpans(value, spans, toPlaceholder);
    found = round === 0 ? next.found : sortByOffset([...shift(found, spans, next.found), ...next.found]);
    value = next.value;
  }
  return { value, found };
}

/** Replaces the spans by placeholders. Spans are in order and do not overlap. */
export function replaceSpans(
  text: string,
  spans: readonly Span[],
  toPlaceholder: ToPlaceholder,
): RedactedValue<string> {
  const pieces: string[] = [];
  const found: Finding[] = [];
  let from = 0;
  let length = 0;
  for (const { start, end, kind } of spans) {
    const secret = text.slice(start, end);
    const placeholder = toPlaceholder(secret);
    pieces.push(text.slice(from, start), placeholder);
    length += start - from;
    found.push({ placeholder, kind, secret, where: { path: [], offset: length } });
    length += placeholder.length;
    from = end;
  }
  pieces.push(text.slice(from));
  return { value: pieces.join(""), found };
}

/** Positions of earlier placeholders after another round. */
function shift(earlier: readonly Finding[], spans: readonly Span[], later: readonly Finding[]): readonly Finding[] {
  let at = 0;
  let moved = 0;
  return earlier.map((one) => {
    for (let span = spans[at]; span && span.end <= one.where.offset; span = spans[at]) {
      moved += (later[at]?.placeholder.length ?? 0) - (span.end - span.start);
      at += 1;
    }
    return { ...one, where: { path: one.where.path, offset: one.where.offset + moved } };
  });
}

const sortByOffset = (found: readonly Finding[]): readonly Finding[] =>
  found.toSorted((a, b) => a.where.offset - b.where.offset);
