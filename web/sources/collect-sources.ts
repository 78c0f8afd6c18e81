import type { Part, PartOf } from "../../protocol/parts.ts";
import { listCitedRefs, listSourceRefs } from "../../protocol/source-refs.ts";
import type { Citation } from "../state/panels.ts";

/** A source with all its numbers in the thread: as a search result, and as a page that was read. */
export type Source = PartOf<"source"> & { readonly refs: readonly number[] };

/** Results below this value are marked as hardly relevant. */
export const lowRelevance = 0.5;

/** Each source once, in order of first appearance; later data for the same URL is merged. */
export function collectSources(parts: readonly Part[]): readonly Source[] {
  const found = new Map<string, PartOf<"source">>();
  const refs = listSourceRefs(parts);
  for (const part of parts) {
    if (part.kind !== "source" || part.aside !== undefined) continue;
    const key = part.url ?? part.id;
    const before = found.get(key);
    found.set(key, before ? { ...before, ...part, ...toBetter(before, part), id: before.id } : part);
  }
  return [...found.values()].map((source) => {
    const own = source.ref === undefined ? [] : [source.ref];
    return { ...source, refs: [...new Set([...own, ...(refs.get(source.url ?? "") ?? [])])] };
  });
}

/** A page is as relevant as its best part: a search rates the excerpt, and reading it rates one passage. */
const toBetter = (...parts: readonly PartOf<"source">[]): { readonly relevance?: number } => {
  const rated = parts.flatMap(({ relevance }) => relevance ?? []);
  return rated.length === 0 ? {} : { relevance: Math.max(...rated) };
};

export const findSource = (sources: readonly Source[], ref: number): Source | undefined =>
  sources.find(({ refs }) => refs.includes(ref));

/** The numbers under which an answer cites it. */
export const toCitedRefs = ({ refs }: Source, cited: ReadonlySet<number>): readonly number[] =>
  refs.filter((ref) => cited.has(ref)).toSorted((a, b) => a - b);

/** Cited sources first, by number; then read, found (by relevance) and failed ones. */
export function sortSources(sources: readonly Source[], cited: ReadonlySet<number>): readonly Source[] {
  const isCited = (source: Source) => toCitedRefs(source, cited).length > 0;
  const toRank = (source: Source) => (isCited(source) ? 0 : ranks[source.status ?? "read"]);
  return sources.toSorted((a, b) => {
    const byRank = toRank(a) - toRank(b);
    if (byRank !== 0) return byRank;
    if (isCited(a)) return (toCitedRefs(a, cited)[0] ?? 0) - (toCitedRefs(b, cited)[0] ?? 0);
    return (b.relevance ?? 0) - (a.relevance ?? 0);
  });
}

const ranks = { read: 1, found: 2, failed: 3 } as const;

/** The cited sources: as checked by the server or, before that, as found in the text. */
export const listCited = (citations: readonly Citation[], text: string): ReadonlySet<number> =>
  new Set(citations.length > 0 ? citations.map(({ ref }) => ref) : listCitedRefs(text));
