import type { Part } from "../../protocol/parts.ts";
import { citationPattern, toRefs } from "../../protocol/source-refs.ts";
import type { Citation, CitationState } from "../state/panels.ts";

export const citationStates: readonly CitationState[] = ["verified", "supported", "unverified", "missing"];

/** Name of the data part with the citations. */
export const citationsName = "citations";

export const isCitations = (part: Part): boolean => part.kind === "data" && part.name === citationsName;

/** Reads the newest list. Malformed entries are ignored. */
export function readCitations(parts: readonly Part[]): readonly Citation[] {
  const part = parts.findLast(isCitations);
  if (part?.kind !== "data" || !Array.isArray(part.value)) return [];
  return part.value.flatMap((value: unknown) => toCitation(value) ?? []);
}

function toCitation(value: unknown): Citation | null {
  if (typeof value !== "object" || value === null) return null;
  const { ref, at, state, quote, span, copy } = value as Record<string, unknown>;
  const isKnown = citationStates.some((known) => known === state);
  if (typeof ref !== "number" || !isSpan(at) || !isKnown) return null;
  return {
    ref,
    at,
    state: state as CitationState,
    ...(typeof quote === "string" ? { quote } : {}),
    ...(isSpan(span) ? { span } : {}),
    ...(typeof copy === "number" ? { copy } : {}),
  };
}

const isSpan = (value: unknown): value is readonly [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every((end) => typeof end === "number" && end >= 0);

export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "refs"; readonly text: string; readonly refs: readonly number[] };

/** Splits `[1]`, `[1, 2]`, `[1; 2]` and `[1][2]` out of a text. */
export function splitCitations(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(citationPattern)) {
    const refs = toRefs(match[1] ?? "");
    if (refs.length === 0) continue;
    if (match.index > from) pieces.push({ kind: "text", text: text.slice(from, match.index) });
    pieces.push({ kind: "refs", text: match[0], refs });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ kind: "text", text: text.slice(from) });
  return pieces;
}

/**
 * Position of a citation in Markdown, identified by the text before it: blocks are rendered separately and do not know their
 * offset.
 */
export type CitationContext = { readonly before: string; readonly length: number };

/** The checked citations, and the text that their offsets refer to. */
export type CheckedAnswer = { readonly citations: readonly Citation[]; readonly answer: string };

/** The citation at this position. A source is often cited several times, with different results. */
export function findCitation(
  { citations, answer }: CheckedAnswer,
  ref: number,
  place: CitationContext,
): Citation | undefined {
  const same = citations.filter((citation) => citation.ref === ref);
  if (same.length < 2) return same[0];
  // In `[1, 2]` the offset of the 2 may be its own or the bracket's.
  const isHere = ({ at: [start] }: Citation) =>
    Array.from({ length: place.length }, (_, back) => answer.slice(0, start - back)).some((words) =>
      place.before === "" ? words === "" || words.endsWith("\n") : words.endsWith(place.before),
    );
  return same.find(isHere) ?? same[0];
}
