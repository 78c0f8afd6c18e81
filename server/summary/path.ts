import type { Reads, Segment } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { RangeStart } from "./plan-ranges.ts";

type PathReads = Pick<Reads, "segments" | "pathEnd" | "summariesOn" | "tokensOf" | "liveRun" | "thread">;

const WHOLE = Number.MAX_SAFE_INTEGER;

/** A path with its summaries. */
export type SummarizedPath = {
  readonly segments: readonly Segment[];
  /** The depth of its last message. */
  readonly end: number;
  /** Summaries in any state. */
  readonly rows: readonly RowOf<"summaries">[];
};

type Where = { readonly thread: string; readonly branch: string; readonly upTo?: number };

export async function loadPath(
  read: Pick<PathReads, "segments" | "summariesOn">,
  { thread, branch, upTo = WHOLE }: Where,
): Promise<SummarizedPath> {
  const segments = await read.segments({ thread, branch, upTo }, WHOLE);
  const rows = await read.summariesOn(thread, segments);
  return { segments, end: Math.max(0, ...segments.map(({ to }) => to)), rows };
}

/**
 * The messages after the last summary, at most `most` of them, oldest first. Excludes the turn that is being answered.
 */
export async function loadSince(
  read: PathReads,
  thread: string,
  { segments, end, rows }: SummarizedPath,
  most = WHOLE,
): Promise<readonly RangeStart[]> {
  const covered = Math.max(0, ...rows.map((row) => row.to_depth));
  if (end <= covered) return [];
  const last = Math.min(end, covered + most);
  const looked = segments
    .filter(({ from }) => from < last)
    .map((segment) => ({ ...segment, to: Math.min(segment.to, last) }));
  const messages = (await read.pathEnd(thread, looked, last - covered)).filter(({ depth }) => depth > covered);
  const tokens = await read.tokensOf(
    thread,
    messages.map(({ id }) => id),
  );
  const places = messages.map(({ id, branch, depth, role }) => ({
    id,
    branch,
    depth,
    role,
    tokens: tokens.get(id) ?? 0,
  }));
  const live = await read.liveRun(thread);
  return live ? withoutTurnOf(places, live.message) : places;
}

function withoutTurnOf(places: readonly RangeStart[], answer: string): readonly RangeStart[] {
  let at = places.findIndex(({ id }) => id === answer);
  if (at < 0) return places;
  while (at > 0 && places[at - 1]?.role === "user") at -= 1;
  return places.slice(0, at);
}
