import { findKind } from "../../protocol/project/kinds.ts";

type OverdueCount = { readonly kind: string; readonly overdue: number };

/** How much is late. What only ends, like an event, is not counted. */
export const sumOverdue = (counts: readonly OverdueCount[]): number =>
  counts.reduce((sum, { kind, overdue }) => sum + (findKind(kind)?.ends === "due" ? overdue : 0), 0);
