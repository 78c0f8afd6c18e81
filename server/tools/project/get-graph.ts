import { readGraph } from "../../project/project.ts";
import type { Reads } from "../../store/contract.ts";

type Asked = { readonly around: string | undefined; readonly depth: number };

const MOST_NODES = 60;
const MOST_EDGES = 120;

/** Things and what they have to do with each other, by ids that are told once. */
export async function getGraph(read: Reads, project: string, { around, depth }: Asked) {
  const graph = await readGraph(read, project, {
    ...(around === undefined ? {} : { around }),
    depth,
    limit: MOST_NODES,
  });
  const edges = graph.edges.slice(0, MOST_EDGES);
  return {
    entities: graph.entities.map(({ id, kind, title, state }) => ({ id, kind, title, state })),
    links: edges.map(({ sourceId, relation, targetId }) => `${sourceId} ${relation} ${targetId}`),
    totals: graph.totals,
    ...(graph.edges.length > edges.length
      ? { note: `${graph.edges.length - edges.length} more links are not told.` }
      : {}),
  };
}
