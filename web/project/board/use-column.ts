import { useMemo } from "react";
import { priorities, type Priority } from "../../../protocol/project/kinds.ts";
import type { EntityLine } from "../../../protocol/project/project.ts";
import { useEntities, type Entities } from "../../state/project/use-entities.ts";
import { orders, type BoardSort } from "./board-moves.ts";

export type BoardFilter = { readonly words: string; readonly least: Priority; readonly sort: BoardSort };

const pageSize = 200;

/** The cards of one state, in the order asked for; by priority only down to the least that is asked for. */
export function useColumn(kind: string, state: string, { words, least, sort }: BoardFilter): Entities {
  const q = words.trim();
  const floor = priorities.indexOf(least);
  // Where only some priorities are wanted they stand first, so that no page is read in vain.
  const order = floor > 0 ? "priority" : sort;
  const fits = useMemo(
    () => (line: EntityLine) =>
      line.kind === kind &&
      line.state === state &&
      priorities.indexOf(line.priority) >= floor &&
      (q === "" || line.version > 0 || line.title.toLowerCase().includes(q.toLowerCase())),
    [kind, state, floor, q],
  );
  const entities = useEntities({ kind, state, sort: order, limit: pageSize, ...(q === "" ? {} : { q }) }, fits);
  return useMemo(() => {
    const lines = entities.lines.toSorted(orders[order]);
    if (floor === 0) return { ...entities, lines };
    const hasMore = entities.hasMore && priorities.indexOf(entities.read.at(-1)?.priority ?? "none") >= floor;
    return { ...entities, lines, hasMore, total: hasMore ? entities.total : lines.length };
  }, [entities, order, floor]);
}
