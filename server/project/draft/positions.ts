import { ApiError } from "../../../protocol/errors.ts";
import type { ActDraft } from "./draft.ts";

/** A number between two; undefined if floating point leaves no gap. Before the first and after the last there always is one. */
export function findBetween(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined) return right === undefined ? 1 : Math.floor(right) - 1;
  if (right === undefined) return Math.floor(left) + 1;
  const middle = left + (right - left) / 2;
  return left < middle && middle < right ? middle : undefined;
}

type TargetPosition = {
  readonly parent: string | null;
  readonly after: string | null | undefined;
  readonly self: string;
};

/** The position after this sibling (null: first, undefined: last). If there is no gap, the siblings are renumbered. */
export function findPosition(draft: ActDraft, { parent, after, self }: TargetPosition): number {
  const siblings = draft.children(parent).filter(({ id }) => id !== self);
  const index = toIndex();
  const position = findBetween(siblings[index - 1]?.position, siblings[index]?.position);
  if (position !== undefined) return position;
  if (!draft.situation.whole.has(parent)) {
    draft.cramped.add(parent);
    return siblings[index]?.position ?? 0;
  }
  for (const [n, sibling] of siblings.entries()) draft.renumber(sibling, n < index ? n + 1 : n + 2);
  return index + 1;

  function toIndex(): number {
    if (after === undefined) return siblings.length;
    if (after === null) return 0;
    const found = siblings.findIndex(({ id }) => id === after);
    if (found >= 0) return found + 1;
    throw new ApiError("invalid", `No sibling has the id ${after}.`);
  }
}
