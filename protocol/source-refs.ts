import type { Part } from "./parts.ts";

/**
 * The numbers of each URL in an answer, oldest first: as a search result, and again as a page that was read. A source part has
 * only the newest; the others are in the outputs of tools.
 */
export function listSourceRefs(parts: readonly Part[]): ReadonlyMap<string, readonly number[]> {
  const refs = new Map<string, Set<number>>();
  const add = (url: unknown, ref: unknown) => {
    if (typeof url !== "string" || typeof ref !== "number") return;
    refs.set(url, (refs.get(url) ?? new Set()).add(ref));
  };
  for (const part of parts) {
    if (part.kind === "source") add(part.url, part.ref);
    if (part.kind !== "tool" || part.state !== "ok") continue;
    for (const { url, ref } of listResults(part.output)) add(url, ref);
  }
  return new Map([...refs].map(([url, numbers]) => [url, [...numbers].toSorted((a, b) => a - b)]));
}

type Result = { readonly url?: unknown; readonly ref?: unknown };

function listResults(output: unknown): readonly Result[] {
  if (typeof output !== "object" || output === null) return [];
  const { results, pages } = output as { readonly results?: unknown; readonly pages?: unknown };
  const list: readonly unknown[] = [results, pages].find(Array.isArray) ?? [];
  return list.filter((item): item is Result => typeof item === "object" && item !== null);
}

/** A citation: `[1]`, `[1, 2]` or `[1; 2]`. */
export const citationPattern = /\[(\d{1,6}(?:\s*[,;]\s*\d{1,6})*)\]/g;

export const toRefs = (numbers: string): readonly number[] => [
  ...new Set(
    numbers
      .split(/[,;]/)
      .map(Number)
      .filter((ref) => ref > 0),
  ),
];

/** All numbers cited in a text. */
export const listCitedRefs = (text: string): readonly number[] =>
  [...text.matchAll(citationPattern)].flatMap((match) => toRefs(match[1] ?? ""));
