import { DAY_MS } from "../../lib/clock.ts";

/** A time span `[from, to)` that a query names. Until `until` it is still likely to be discussed. */
export type Span = { readonly from: number; readonly to: number; readonly until: number };

const months = "january february march april may june july august september october november december".split(" ");
const month = months.map((name) => (name.length > 4 ? `${name}|${name.slice(0, 3)}\\.?` : name)).join("|");
const named = new RegExp(
  `\\b(?:(\\d{1,2})(?:st|nd|rd|th)?(?:\\s+of)?\\s+)?(${month})(?![a-z])(?:,?\\s+(\\d{1,2})(?:st|nd|rd|th)?(?!\\d))?(?:,?\\s+(\\d{4}))?`,
  "gi",
);
const numeric = /\b(\d{4})-(\d{2})(?:-(\d{2}))?\b/g;
const year = /\b(?:in|of|during|since)\s+((?:19|20)\d\d)\b/gi;
const relative: readonly (readonly [pattern: RegExp, from: number, to: number])[] = [
  [/\byesterday\b/i, 1, 0],
  [/\b(?:earlier )?today\b/i, 0, -1],
  [/\blast week\b/i, 13, 1],
  [/\blast month\b/i, 60, 5],
  [/\b(?:recently|lately|the other day)\b/i, 14, -1],
];

/** The days, months and years in a query. "last week" is relative to `now`. Days are in UTC. */
export function findSpans(query: string, now: number): readonly Span[] {
  const spans: Span[] = [];
  const thisYear = new Date(now).getUTCFullYear();
  for (const [, before, name = "", after, full] of query.matchAll(named)) {
    const day = Number(before ?? after ?? 0);
    // The verbs "may" and "march", in lower case without a number.
    if (/^(?:may|march|mar)$/i.test(name) && !/^\p{Lu}/u.test(name) && day === 0 && full === undefined) continue;
    const at = months.findIndex((one) => one.startsWith(name.toLowerCase().slice(0, 3)));
    const years = full === undefined ? [thisYear, thisYear - 1] : [Number(full)];
    for (const one of years) spans.push(toSpan(one, at, day));
  }
  for (const [, full, at, day] of query.matchAll(numeric))
    spans.push(toSpan(Number(full), Number(at) - 1, Number(day ?? 0)));
  if (spans.length === 0)
    for (const [, full] of query.matchAll(year)) {
      const [from, to] = [Date.UTC(Number(full), 0, 1), Date.UTC(Number(full) + 1, 0, 1)];
      spans.push({ from, to, until: to });
    }
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  for (const [pattern, from, to] of relative)
    if (pattern.test(query))
      spans.push({ from: today - from * DAY_MS, to: today - to * DAY_MS, until: today - to * DAY_MS });
  return spans;
}

function toSpan(full: number, at: number, day: number): Span {
  if (day === 0) {
    const to = Date.UTC(full, at + 1, 1);
    return { from: Date.UTC(full, at, 1), to, until: to + 12 * DAY_MS };
  }
  const from = Date.UTC(full, at, day);
  return { from, to: from + DAY_MS, until: from + 10 * DAY_MS };
}

/** 1 within a span, .6 soon after it, 0 elsewhere. */
export function weighTime(at: number, spans: readonly Span[]): number {
  let best = 0;
  for (const { from, to, until } of spans) {
    if (at >= from && at < to) return 1;
    if (at >= to && at < until) best = 0.6;
  }
  return best;
}
