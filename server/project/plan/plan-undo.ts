import { ApiError } from "../../../protocol/errors.ts";
import type { Change } from "../../../protocol/project/project.ts";
import type { Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { toChange } from "../read/views.ts";
import type { AtOnce, Made } from "./act.ts";
import { applyUndo, toKey } from "../draft/apply-undo.ts";
import { createDraft, type Situation } from "../draft/draft.ts";
import { createItems, type PlanRequest } from "./load.ts";
import { settleDraft } from "../draft/settle-draft.ts";
import { toRunUndoSentence } from "./words.ts";

/** Refuses paths that cannot stand beside what is there: the workspace's rule, handed in. */
export type CheckPaths = (reads: AtOnce, project: string, paths: Paths) => Promise<void>;
type Paths = { readonly added: readonly string[]; readonly gone: readonly string[] };

type Undo = {
  readonly reads: AtOnce;
  readonly project: RowOf<"projects">;
  /** What is taken back, newest first. */
  readonly acts: readonly RowOf<"acts">[];
  readonly now: number;
  readonly checkPaths: CheckPaths;
};

/** Reads what these acts touched, and plans to put back what was before. */
export async function makeUndo({ reads, project, acts, now, checkPaths }: Undo): Promise<Made> {
  if (acts.length === 0) throw new ApiError("conflict", "There is nothing left to take back.");
  if (acts.some(({ undone }) => undone === 1)) throw new ApiError("conflict", "This was taken back already.");
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

async function loadForUndo(
  asked: PlanRequest & { readonly reads: AtOnce },
  changes: readonly Change[],
): Promise<Situation> {
  const { reads, project, now, whole } = asked;
  const items = createItems(asked);
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

/** Taking back what took something back makes that stand again, and so on down. */
async function markUndone(reads: AtOnce, project: string, acts: readonly RowOf<"acts">[]): Promise<Write[]> {
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
