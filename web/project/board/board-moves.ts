import { priorities } from "../../../protocol/project/kinds.ts";
import type { EntityLine, EntityOp } from "../../../protocol/project/project.ts";

/** Maps an arrow key with a modifier to a change: left and right change the state, up and down the priority. */
export function toMove(key: string, card: EntityLine, states: readonly string[]): EntityOp | null {
  const { id, version } = card;
  const step = steps[key];
  if (!step) return null;
  if (step.along === "state") {
    const state = states[states.indexOf(card.state) + step.by];
    return state === undefined ? null : { do: "update", id, version, state };
  }
  const priority = priorities[priorities.indexOf(card.priority) + step.by];
  return priority === undefined ? null : { do: "update", id, version, priority };
}

const steps: Readonly<Record<string, { readonly along: "state" | "priority"; readonly by: 1 | -1 }>> = {
  ArrowLeft: { along: "state", by: -1 },
  ArrowRight: { along: "state", by: 1 },
  ArrowUp: { along: "priority", by: 1 },
  ArrowDown: { along: "priority", by: -1 },
};

/**
 * Moves a card of a column to another place in it: `to` is an index among the other cards. Cards are ordered among those with
 * the same parent; null: nothing changes.
 */
export function toReorder(cards: readonly EntityLine[], id: string, to: number): EntityOp | null {
  const at = cards.findIndex((card) => card.id === id);
  const card = cards[at];
  if (!card) return null;
  const others = cards.filter((other) => other !== card);
  const findBefore = (index: number): string | null =>
    others.slice(0, Math.max(0, index)).findLast(({ parentId }) => parentId === card.parentId)?.id ?? null;
  const after = findBefore(to);
  if (after === findBefore(at)) return null;
  return { do: "move", id, version: card.version, parentId: card.parentId, after };
}

export type CardPosition = { readonly column: number; readonly row: number };

/** The card that an arrow key moves the focus to, given the lengths of the columns; null: none. */
export function toCardPosition(
  key: string,
  { column, row }: CardPosition,
  lengths: readonly number[],
): CardPosition | null {
  if (key === "ArrowUp") return row > 0 ? { column, row: row - 1 } : null;
  if (key === "ArrowDown") return row + 1 < (lengths[column] ?? 0) ? { column, row: row + 1 } : null;
  if (key === "Home") return { column, row: 0 };
  if (key === "End") return { column, row: Math.max(0, (lengths[column] ?? 1) - 1) };
  const by = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
  if (by === 0) return null;
  for (let next = column + by; next >= 0 && next < lengths.length; next += by) {
    const length = lengths[next] ?? 0;
    if (length > 0) return { column: next, row: Math.min(row, length - 1) };
  }
  return null;
}

export type BoardSort = "position" | "priority" | "due" | "updated" | "title";

const rank = (line: EntityLine): number => priorities.indexOf(line.priority);

/** The same orders as on the server, for cards whose changes are not saved yet. */
export const orders: Readonly<Record<BoardSort, (a: EntityLine, b: EntityLine) => number>> = {
  position: (a, b) => a.position - b.position || (a.id < b.id ? -1 : 1),
  priority: (a, b) => rank(b) - rank(a) || byDue(a, b),
  due: (a, b) => byDue(a, b),
  updated: (a, b) => b.updatedAt - a.updatedAt,
  title: (a, b) => a.title.localeCompare(b.title),
};

const byDue = (a: EntityLine, b: EntityLine): number => (a.endsAt ?? Infinity) - (b.endsAt ?? Infinity) || 0;
