import { useMemo } from "react";
import { priorities, type Priority } from "../../../protocol/project/kinds.ts";
import type { EntityLine } from "../../../protocol/project/project.ts";
import { useEntities, type Entities } from "../../state/project/use-entities.ts";
import { orders, type BoardSort } from "./board-moves.ts";

export type BoardFilter = { readonly query: string; readonly minimum: Priority; readonly sort: BoardSort };

const pageSize = 200;

/** The cards of one state with at least the minimum priority, sorted. */
export function useColumn(kind: string, state: string, { query, minimum, sort }: BoardFilter): Entities {
  const q = query.trim();
  const floor = priorities.indexOf(minimum);
  // With a minimum priority, sorting by priority avoids loading pages without matches.
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
