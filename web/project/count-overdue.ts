import { findKind } from "../../protocol/project/kinds.ts";

type OverdueCount = { readonly kind: string; readonly overdue: number };

/** Number of overdue entities. Kinds without a due date, such as events, are not counted. */
export const sumOverdue = (counts: readonly OverdueCount[]): number =>
  counts.reduce((sum, { kind, overdue }) => sum + (findKind(kind)?.ends === "due" ? overdue : 0), 0);
