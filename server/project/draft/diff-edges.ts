import type { Change } from "../../../protocol/project/project.ts";
import type { Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { toEdge } from "../read/views.ts";
import { toEdgeId, type Draft, type EdgeKey } from "./draft.ts";
import type { Pair } from "./settle-draft.ts";

/** Edges made and unmade; those of what is deleted are hidden, and shown when both ends are back. */
export function diffEdges(
  draft: Draft,
  pairs: readonly Pair[],
): { readonly changes: readonly Change[]; readonly writes: readonly Write[] } {
  const { situation, edges } = draft;
  const project = situation.project.id;
  const read = new Map(situation.edges.map((edge) => [toEdgeId(edge), edge]));
  const added = [...edges].filter(([id]) => !read.has(id));
  const removed = [...read].filter(([id]) => !edges.has(id));
  const isAlive = (id: string): boolean => draft.items.get(id)?.deleted === 0;
  const shown = [...read.values()].filter(
    (edge) => edge.hidden === 1 && edges.has(toEdgeId(edge)) && isAlive(edge.source) && isAlive(edge.target),
  );
  const gone = pairs.filter(({ last, next }) => last?.deleted === 0 && next.deleted === 1);
  const toChange = (edge: EdgeKey, isAdded: boolean): Change => ({
    what: "edge",
    id: toEdgeId(edge),
    title: `"${toTitle(draft, edge.source)}" ${edge.relation} "${toTitle(draft, edge.target)}"`,
    before: isAdded ? null : toEdge({ project, ...edge }),
    after: isAdded ? toEdge({ project, ...edge }) : null,
  });
  return {
    changes: [...removed.map(([, edge]) => toChange(edge, false)), ...added.map(([, edge]) => toChange(edge, true))],
    writes: [
      ...removed.flatMap(([, edge]) => remove(edge)),
      ...gone.flatMap(({ next: { id } }): Write[] => [
        { do: "update", table: "edges", set: { hidden: 1 }, where: { project, source: id } },
        { do: "update", table: "edges", set: { hidden: 1 }, where: { project, target: id } },
      ]),
      ...shown.map((edge): Write => ({ do: "update", table: "edges", set: { hidden: 0 }, where: toKey(edge) })),
      ...added.map(([, { source, relation, target }]): Write => {
        const hidden = isAlive(source) && isAlive(target) ? 0 : 1;
        const row = { project, source, relation, target, hidden, created_at: situation.now };
        return { do: "insert", table: "edges", row };
      }),
    ],
  };
}

const toTitle = (draft: Draft, id: string): string => draft.items.get(id)?.title ?? id;

const toKey = ({ project, source, relation, target }: RowOf<"edges">) => ({ project, source, relation, target });

/** Of two who remove it at once one is refused. */
const remove = (edge: RowOf<"edges">): Write[] => [
  { do: "update", table: "edges", set: { hidden: edge.hidden }, where: toKey(edge), expectOne: true },
  { do: "delete", table: "edges", where: toKey(edge) },
];
