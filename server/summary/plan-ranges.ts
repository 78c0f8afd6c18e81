/** A message as planning sees it. */
export type RangeStart = {
  readonly id: string;
  readonly branch: string;
  readonly depth: number;
  readonly role: "user" | "assistant";
  readonly tokens: number;
};

export const limits = {
  /** No summary of fewer. */
  leastMessages: 4,
  /** The `summary` policy sums up after so many messages, or tokens, since the last. */
  messages: 10,
  tokens: 2_000,
  /** What `stone` leaves alone: it stands in the prompt word for word. */
  tailTokens: 1_500,
  tailTurns: 2,
  /** Source of one summary in `stone`: closed from the first, and at the latest at a turn's end behind the second. */
  chunkTokens: 2_000,
  chunkMostTokens: 4_000,
} as const;

/** Everything since the last summary, once it is worth one; empty before. */
export function planWhole(since: readonly RangeStart[]): readonly (readonly RangeStart[])[] {
  const tokens = sum(since);
  const isDue = since.length >= limits.messages || tokens >= limits.tokens;
  return isDue && since.length >= limits.leastMessages ? [since] : [];
}

/** Closed ranges behind the tail, of whole turns. What does not fill one yet is left for later. */
export function planClosed(since: readonly RangeStart[]): readonly (readonly RangeStart[])[] {
  return cut(toTurns(since.slice(0, findTail(since))), limits.chunkTokens, false);
}

/** All of it at once, as a person asks for: in several ranges when it is too much for one. */
export function planNow(since: readonly RangeStart[]): readonly (readonly RangeStart[])[] {
  if (since.length < limits.leastMessages) return [];
  const each = Math.max(limits.chunkMostTokens, sum(since) / MOST_RANGES);
  return cut(toTurns(since), each, true);
}

/** However long a thread has gone without any. */
const MOST_RANGES = 50;

/** Where the tail begins: the newest turns that hold enough, two full ones at least. */
function findTail(places: readonly RangeStart[]): number {
  let [tokens, turns] = [0, 0];
  for (let at = places.length - 1; at >= 0; at -= 1) {
    const place = places[at];
    tokens += place?.tokens ?? 0;
    if (place?.role === "user") turns += 1;
    if (place?.role === "user" && tokens >= limits.tailTokens && turns >= limits.tailTurns) return at;
  }
  return 0;
}

/** A turn opens with the person's words; what they add while it runs belongs to it. */
function toTurns(places: readonly RangeStart[]): readonly (readonly RangeStart[])[] {
  const turns: RangeStart[][] = [];
  for (const [at, place] of places.entries()) {
    const opens = place.role === "user" && places[at - 1]?.role !== "user";
    if (opens || turns.length === 0) turns.push([]);
    turns.at(-1)?.push(place);
  }
  return turns;
}

function cut(
  turns: readonly (readonly RangeStart[])[],
  tokens: number,
  toEnd: boolean,
): readonly (readonly RangeStart[])[] {
  const ranges: RangeStart[][] = [];
  let open: RangeStart[] = [];
  for (const turn of turns) {
    // A long turn is not joined to what is enough by itself.
    const isEnough = sum(open) >= tokens / 2 && open.length >= limits.leastMessages;
    if (isEnough && sum(open) + sum(turn) > 2 * tokens) {
      ranges.push(open);
      open = [];
    }
    open.push(...turn);
    if (sum(open) < tokens || open.length < limits.leastMessages) continue;
    ranges.push(open);
    open = [];
  }
  if (!toEnd || open.length === 0) return ranges;
  // Too little for one of its own goes with the last.
  if (open.length >= limits.leastMessages || ranges.length === 0) return [...ranges, open];
  return [...ranges.slice(0, -1), [...(ranges.at(-1) ?? []), ...open]];
}

const sum = (places: readonly RangeStart[]): number => places.reduce((total, { tokens }) => total + tokens, 0);
