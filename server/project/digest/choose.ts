import { aimKinds, findKind, type Kind } from "../../../protocol/project/kinds.ts";
import type { OutlineRow, DigestTimes } from "../../store/contract.ts";
import { isOverdue } from "./write.ts";
import { DAY_MS } from "../../lib/clock.ts";

/** A row with its score. `must`: the newest of a kind and overdue rows come before all others. */
export type Choice = { readonly row: OutlineRow; readonly kind: Kind; readonly score: number; readonly must: boolean };

/** Most recently changed rows per kind that are always listed. */
const NEWEST = 2;
const WEIGHTS = {
  recency: 0.35,
  soon: 0.25,
  overdue: 0.4,
  priority: 0.05,
  active: 0.1,
  ended: -0.5,
  root: 0.2,
  aim: 0.15,
};
const SOON_DAYS = 7;
const RECENT_DAYS = 7;

type WeightInput = { readonly times: DigestTimes; readonly relevanceOf: (row: OutlineRow) => number };

/** Rows of a kind, highest score first, up to the kind's limit. */
export function chooseRows(
  kind: Kind,
  rows: readonly OutlineRow[],
  { times, relevanceOf }: WeightInput,
): readonly Choice[] {
  const newest = new Set(rows.toSorted(byNewest).slice(0, NEWEST));
  const candidates = kind.name === "event" ? rows.filter((row) => isAround(row, times) || newest.has(row)) : rows;
  return candidates
    .map((row): Choice => ({
      row,
      kind,
      score: weigh(row, kind, times.now) + relevanceOf(row) + (newest.has(row) ? 1 : 0),
      must: newest.has(row) || isOverdue(row, kind, times.now),
    }))
    .toSorted(byWorth)
    .slice(0, kind.digestLimit);
}

/** Most important first. */
export const byWorth = (a: Choice, b: Choice): number =>
  Number(b.must) - Number(a.must) || b.score - a.score || (a.row.id < b.row.id ? -1 : 1);

const byNewest = (a: OutlineRow, b: OutlineRow): number => b.updated_at - a.updated_at || (a.id < b.id ? 1 : -1);

const isAround = ({ starts_at: starts, ends_at: ends }: OutlineRow, { from, to }: DigestTimes): boolean =>
  starts === null ? ends === null || ends >= from : starts <= to && (ends ?? starts) >= from;

function weigh(row: OutlineRow, kind: Kind, now: number): number {
  const days = Math.max(0, now - row.updated_at) / DAY_MS;
  const date = kind.ends === "due" ? row.ends_at : row.starts_at;
  const isOpen = row.ended === 0;
  const isSoon = isOpen && date !== null && date >= now && date - now < SOON_DAYS * DAY_MS;
  return (
    WEIGHTS.recency / (1 + days / RECENT_DAYS) +
    WEIGHTS.priority * row.priority +
    (isOpen ? 0 : WEIGHTS.ended) +
    (isSoon ? WEIGHTS.soon : 0) +
    (isOverdue(row, kind, now) ? WEIGHTS.overdue : 0) +
    (row.state === "active" || row.state === "blocked" ? WEIGHTS.active : 0) +
    (row.kind === "document" && row.parent === null ? WEIGHTS.root : 0) +
    (aimKinds.includes(row.kind) ? WEIGHTS.aim : 0)
  );
}

/** Groups rows by kind; skips unknown kinds. */
export function groupByKind(rows: Iterable<OutlineRow>): ReadonlyMap<Kind, readonly OutlineRow[]> {
  const groups = new Map<Kind, OutlineRow[]>();
  for (const row of rows) {
    const kind = findKind(row.kind);
    if (!kind) continue;
    const group = groups.get(kind);
    if (group) group.push(row);
    else groups.set(kind, [row]);
  }
  return groups;
}
