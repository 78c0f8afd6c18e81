import type { Part, PartOf } from "../../protocol/parts.ts";
import { listRefs, type Citation } from "./citations.ts";

export type Source = PartOf<"source">;

/** Below this the server calls a result hardly relevant. */
export const lowRelevance = 0.5;

/** Each source once, in the order they were first met; what is told later of the same address or number completes it. */
export function collectSources(parts: readonly Part[]): readonly Source[] {
  const found = new Map<string, Source>();
  for (const part of parts) {
    if (part.kind !== "source" || part.aside !== undefined) continue;
    const key = part.url ?? (part.ref === undefined ? part.id : `#${part.ref}`);
    const before = found.get(key);
    found.set(key, before ? complete(before, part) : part);
  }
  return [...found.values()];
}

/** A page that was read is not turned back into a mere find by a later search. */
function complete(before: Source, after: Source): Source {
  const next = { ...before, ...after, id: before.id };
  return before.status === "read" && after.status === "found" ? { ...next, ...pickRead(before) } : next;
}

const pickRead = ({ status, ref, artifactId, title }: Source): Partial<Source> => ({
  ...(status === undefined ? {} : { status }),
  ...(ref === undefined ? {} : { ref }),
  ...(artifactId === undefined ? {} : { artifactId }),
  ...(title === undefined ? {} : { title }),
});

/** Cited ones first, by number; then what was read, what was found by relevance, and last what failed. */
export function sortSources(sources: readonly Source[], cited: ReadonlySet<number>): readonly Source[] {
  const isCited = ({ ref }: Source) => ref !== undefined && cited.has(ref);
  const toRank = (source: Source) => (isCited(source) ? 0 : ranks[source.status ?? "read"]);
  return sources.toSorted((a, b) => {
    const byRank = toRank(a) - toRank(b);
    if (byRank !== 0) return byRank;
    if (isCited(a)) return (a.ref ?? 0) - (b.ref ?? 0);
    return (b.relevance ?? 0) - (a.relevance ?? 0);
  });
}

const ranks = { read: 1, found: 2, failed: 3 } as const;

/** The sources that an answer points at: as the server says, or, until it has, by what stands in the text. */
export const listCited = (citations: readonly Citation[], text: string): ReadonlySet<number> =>
  new Set(citations.length > 0 ? citations.map(({ ref }) => ref) : listRefs(text));
