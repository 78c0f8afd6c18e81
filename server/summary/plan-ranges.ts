/** The properties of a message that planning needs. */
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
  /** The `summary` policy summarizes after this many messages or tokens since the last summary. */
  messages: 10,
  tokens: 2_000,
  /** `stone` does not summarize the tail, which stays verbatim in the prompt. */
  tailTokens: 1_500,
  tailTurns: 2,
  /** Source tokens of one summary in `stone`: the target, and the limit at which a range ends with its turn. */
  chunkTokens: 2_000,
  chunkMostTokens: 4_000,
} as const;

/** All messages since the last summary as one range, or no range while there are too few. */
export function planWhole(since: readonly RangeStart[]): readonly (readonly RangeStart[])[] {
  const tokens = sum(since);
  const isDue = since.length >= limits.messages || tokens >= limits.tokens;
  return isDue && since.length >= limits.leastMessages ? [since] : [];
}

/** Complete ranges of whole turns before the tail. Turns that do not fill a range are left for later. */
export function planClosed(since: readonly RangeStart[]): readonly (readonly RangeStart[])[] {
  return cut(toTurns(since.slice(0, findTail(since))), limits.chunkTokens, false);
}

/** All messages at once, on the user's request: in several ranges if they are too many for one. */
export function planNow(since: readonly RangeStart[]): readonly (readonly RangeStart[])[] {
  if (since.length < limits.leastMessages) return [];
  const each = Math.max(limits.chunkMostTokens, sum(since) / MOST_RANGES);
  return cut(toTurns(since), each, true);
}

/** Limit for a thread that was never summarized. */
const MOST_RANGES = 50;

/** Index at which the tail begins: the newest turns, at least `tailTurns`, that have at least `tailTokens` together. */
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

/** A turn starts with a user message. Messages sent while it runs belong to it. */
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
    // A long turn is not added to a range that is already large enough.
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
  // Too few messages for a separate range are added to the last one.
  if (open.length >= limits.leastMessages || ranges.length === 0) return [...ranges, open];
  return [...ranges.slice(0, -1), [...(ranges.at(-1) ?? []), ...open]];
}

const sum = (places: readonly RangeStart[]): number => places.reduce((total, { tokens }) => total + tokens, 0);
