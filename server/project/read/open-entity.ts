import type { Response as Answer } from "../../../protocol/api.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { Reads } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { toEdge, toEntity, toLine } from "./views.ts";

export type OpenReads = Pick<Reads, "entity" | "entityLines" | "entityPage" | "edgesOf">;

/** So much of what is below it and of what it is linked with. */
const MOST = 500;

/** One thing whole, with where it stands. */
export async function openEntity(reads: OpenReads, project: string, id: string): Promise<Answer<"getEntity">> {
  const row = await reads.entity(project, id);
  if (!row || row.deleted === 1) throw new ApiError("not-found", "There is nothing of yours under this id.");
  const page = { sort: "position", after: null, limit: MOST } as const;
  const children = await reads.entityPage({ project, parent: id }, page);
  const edges = (await reads.edgesOf(project, [id], MOST)).slice(0, MOST);
  const others = await reads.entityLines(project, [...new Set(edges.map((edge) => toOther(edge, id)))]);
  const byId = new Map(others.map((other) => [other.id, toLine(other)]));
  const links = edges.flatMap((edge) => {
    const other = byId.get(toOther(edge, id));
    return other ? [{ edge: toEdge(edge), other }] : [];
  });
  const path = await readPath(reads, project, row.parent);
  return { entity: toEntity(row), path: path.map(toLine), children: children.map(toLine), links };
}

const toOther = ({ source, target }: RowOf<"edges">, id: string): string => (source === id ? target : source);

/** From the root down to this one. */
async function readPath(reads: Pick<Reads, "entityLines">, project: string, id: string | null) {
  const path = [];
  for (let next = id; next !== null && path.length < MOST;) {
    const [row] = await reads.entityLines(project, [next]);
    if (!row) break;
    path.unshift(row);
    next = row.parent;
  }
  return path;
}
