import { ApiError } from "../../../protocol/errors.ts";
import type { Change } from "../../../protocol/project/project.ts";
import type { Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { toChange } from "../read/views.ts";
import type { SnapshotReads, ActEffect } from "./act.ts";
import { applyUndo, toKey } from "../draft/apply-undo.ts";
import { createDraft, type Situation } from "../draft/draft.ts";
import { createItems, type PlanRequest } from "./load.ts";
import { settleDraft } from "../draft/settle-draft.ts";
import { toRunUndoSentence } from "./sentences.ts";

/** Throws if a path conflicts with existing files. Passed in, because the rule belongs to the workspace. */
export type CheckPaths = (reads: SnapshotReads, project: string, paths: Paths) => Promise<void>;
type Paths = { readonly added: readonly string[]; readonly gone: readonly string[] };

type Undo = {
  readonly reads: SnapshotReads;
  readonly project: RowOf<"projects">;
  /** The acts to undo, newest first. */
  readonly acts: readonly RowOf<"acts">[];
  readonly now: number;
  readonly checkPaths: CheckPaths;
};

/** Loads the rows that the acts changed and plans to restore their previous values. */
export async function planUndo({ reads, project, acts: all, now, checkPaths }: Undo): Promise<ActEffect> {
  if (all.length === 0) throw new ApiError("conflict", "There is nothing left to undo.");
  if (all.some(({ undone }) => undone === 1)) throw new ApiError("conflict", "This change was already undone.");
  const acts = await leaveOutCreation(reads, project, all);
  const ids = acts.map(({ id }) => id);
  const rows = Map.groupBy(await reads.changesOfActs(project.id, ids), ({ act }) => act);
  const changes = ids.flatMap((id) => (rows.get(id) ?? []).map(toChange).toReversed());
  const draft = createDraft(await loadForUndo({ reads, project, now, whole: new Set() }, changes));
  applyUndo(draft, changes);
  const settled = settleDraft(draft);
  const files = settled.changes.filter(({ what }) => what === "file");
  const [added, gone] = [files.filter(({ before }) => !before), files.filter(({ after }) => !after)];
  const toId = ({ id }: Change): string => id;
  if (added.length > 0) await checkPaths(reads, project.id, { added: added.map(toId), gone: gone.map(toId) });
  return {
    ...settled,
    text: toRunUndoSentence(acts.map(({ text }) => text)),
    undoes: ids,
    writes: [...settled.writes, ...(await markUndone(reads, project.id, acts))],
  };
}

/** Undoing the creation of a project archives it. If other acts changed the project, its creation is left out. */
async function leaveOutCreation(
  reads: SnapshotReads,
  { id: projectId }: RowOf<"projects">,
  acts: readonly RowOf<"acts">[],
): Promise<readonly RowOf<"acts">[]> {
  // The act that created a project has its id.
  const rest = acts.filter(({ id }) => id !== projectId);
  if (rest.length === acts.length) return acts;
  const ids = new Set(acts.map(({ id }) => id));
  const newest = await reads.acts({ project: projectId, before: NEWEST, limit: MOST_ACTS });
  const hasOthers = newest.some(({ id, undone, undoes }) => undone === 0 && undoes === null && !ids.has(id));
  if (!hasOthers) return acts;
  if (rest.length > 0) return rest;
  throw new ApiError("conflict", "The project has been changed since it was created. Delete or archive it instead.");
}

const NEWEST = 2_147_483_647;
/** Undone acts and undos of a project that is otherwise empty are usually far fewer. */
const MOST_ACTS = 1000;

async function loadForUndo(
  request: PlanRequest & { readonly reads: SnapshotReads },
  changes: readonly Change[],
): Promise<Situation> {
  const { reads, project, now, whole } = request;
  const items = createItems(request);
  const of = (what: Change["what"]) => changes.filter((change) => change.what === what);
  const entities = of("entity");
  await items.addFull(entities.map(({ id }) => id));
  const edges = new Map<string, RowOf<"edges">>();
  for (const { id } of of("edge")) {
    const edge = await reads.edge({ project: project.id, ...toKey(id) });
    if (edge) edges.set(id, edge);
    await items.add([toKey(id).source, toKey(id).target]);
  }
  const back = entities.filter(({ after }) => after === null).map(({ id }) => id);
  for (const edge of await reads.hiddenEdges(project.id, back)) {
    edges.set(`${edge.source} ${edge.relation} ${edge.target}`, edge);
    await items.add([edge.source, edge.target]);
  }
  const parents = entities.flatMap(({ id, before }) => [items.get(id)?.parent, before?.["parentId"]]);
  await items.addAbove(parents.filter((id) => typeof id === "string"));
  await items.addBelow(entities.flatMap(({ id, before }) => (before === null ? [id] : [])));
  const paths = [...new Set(of("file").map(({ id }) => id))];
  return {
    project,
    now,
    items: items.all(),
    edges: [...edges.values()],
    files: await reads.filesByPath(project.id, paths),
    whole,
  };
}

/** Undoing an undo restores the act it undid, and so on recursively. */
async function markUndone(reads: SnapshotReads, project: string, acts: readonly RowOf<"acts">[]): Promise<Write[]> {
  const below = ({ undoes }: RowOf<"acts">): string[] => undoes?.split(" ") ?? [];
  const writes = acts.map(({ id }): Write => {
    const where = { project, id, undone: 0 };
    return { do: "update", table: "acts", set: { undone: 1 }, where, expectOne: true };
  });
  let undone = 0;
  for (let level = await reads.actsById(project, acts.flatMap(below)); level.length > 0; undone = 1 - undone) {
    for (const { id } of level) writes.push({ do: "update", table: "acts", set: { undone }, where: { project, id } });
    level = await reads.actsById(project, level.flatMap(below));
  }
  return writes;
}
