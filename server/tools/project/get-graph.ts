import { readGraph } from "../../project/project.ts";
import type { Reads } from "../../store/contract.ts";

type GraphOptions = { readonly around: string | undefined; readonly depth: number };

const MAX_NODES = 60;
const MAX_EDGES = 120;

/** Entities, each listed once, and the links among them by id. */
export async function getGraph(read: Reads, project: string, { around, depth }: GraphOptions) {
  const graph = await readGraph(read, project, {
    ...(around === undefined ? {} : { around }),
    depth,
    limit: MAX_NODES,
  });
  const edges = graph.edges.slice(0, MAX_EDGES);
  return {
    entities: graph.entities.map(({ id, kind, title, state }) => ({ id, kind, title, state })),
    links: edges.map(({ sourceId, relation, targetId }) => `${sourceId} ${relation} ${targetId}`),
    totals: graph.totals,
    ...(graph.edges.length > edges.length
      ? { note: `${graph.edges.length - edges.length} more links are not listed.` }
      : {}),
  };
}
