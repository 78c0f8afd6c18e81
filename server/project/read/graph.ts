import type { Query, Response as Answer } from "../../../protocol/api.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { Reads } from "../../store/contract.ts";
import { toEdge, toLine } from "./views.ts";

export type GraphReads = Pick<
  Reads,
  "entityLines" | "edgesOf" | "edgesAmong" | "mostLinked" | "countEdges" | "entityTotal"
>;

/** So many edges are drawn for each thing that is. */
const EDGES_EACH = 8;

/** Things and the edges between them: those within so many steps of one, or the most linked of all. */
export async function readGraph(
  reads: GraphReads,
  project: string,
  { around, depth, limit }: Query<"getGraph">,
): Promise<Answer<"getGraph">> {
  const ids =
    around === undefined ? await findHubs(reads, project, limit) : await walk(reads, project, around, { depth, limit });
  const rows = await reads.entityLines(project, ids);
  if (around !== undefined && !rows.some(({ id }) => id === around)) {
    throw new ApiError("not-found", "There is nothing of yours under this id.");
  }
  const byId = new Map(rows.map((row) => [row.id, toLine(row)]));
  const edges = await reads.edgesAmong(project, [...byId.keys()], limit * EDGES_EACH);
  return {
    entities: ids.flatMap((id) => byId.get(id) ?? []),
    edges: edges.map(toEdge),
    totals: { entities: await reads.entityTotal({ project }), edges: await reads.countEdges(project) },
  };
}

const findHubs = async (reads: GraphReads, project: string, limit: number): Promise<string[]> =>
  (await reads.mostLinked(project, limit)).map(({ id }) => id);

/** The nearest first. */
async function walk(
  reads: GraphReads,
  project: string,
  around: string,
  { depth, limit }: { readonly depth: number; readonly limit: number },
): Promise<string[]> {
  const found = new Set([around]);
  let level = [around];
  for (let step = 0; step < depth && level.length > 0 && found.size < limit; step += 1) {
    const edges = await reads.edgesOf(project, level, limit * EDGES_EACH);
    const next = new Set(edges.flatMap(({ source, target }) => [source, target]).filter((id) => !found.has(id)));
    level = [...next].slice(0, limit - found.size);
    for (const id of level) found.add(id);
  }
  return [...found];
}
