import type { Query } from "../../../protocol/api.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { Act, Change } from "../../../protocol/project/project.ts";
import type { Reads } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { toAct } from "./views.ts";

type ActReads = Pick<Reads, "acts" | "actsOn" | "actsOfRun" | "changesOfActs" | "act">;

/** Of a text in a list, and of the changes of one act. */
const LONGEST_TEXT = 400;
const MOST_CHANGES = 100;

/** Newest first. Long texts and long acts are cut: `getAct` has them whole. */
export async function listActs(
  reads: ActReads,
  project: string,
  { entityId, path, runId, before = NEWEST, limit }: Query<"listActs">,
): Promise<{ acts: Act[] }> {
  const rows = await find();
  const changes = await reads.changesOfActs(
    project,
    rows.map(({ id }) => id),
    MOST_CHANGES,
  );
  const byAct = Map.groupBy(changes, ({ act }) => act);
  return { acts: rows.map((row) => cutAct(toAct(row, byAct.get(row.id) ?? []))) };

  function find(): Promise<readonly RowOf<"acts">[]> {
    const window = { project, before, limit };
    if (runId !== undefined) return reads.actsOfRun(window, runId);
    if (entityId !== undefined) return reads.actsOn(window, { what: "entity", target: entityId });
    if (path !== undefined) return reads.actsOn(window, { what: "file", target: path });
    return reads.acts(window);
  }
}

export async function getAct(reads: ActReads, project: string, id: string): Promise<Act> {
  const row = await reads.act(project, id);
  if (!row) throw new ApiError("not-found", "There is nothing of yours under this id.");
  return toAct(row, await reads.changesOfActs(project, [id]));
}

const NEWEST = 2_147_483_647;

const cutAct = (act: Act): Act => ({
  ...act,
  changes: act.changes.map((change) => ({ ...change, before: cutTexts(change.before), after: cutTexts(change.after) })),
});

const cutTexts = (fields: Change["before"]): Change["before"] =>
  fields && Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cutText(value)]));

const cutText = (value: unknown): unknown =>
  typeof value === "string" && value.length > LONGEST_TEXT
    ? `${value.slice(0, LONGEST_TEXT).toWellFormed()}...`
    : value;
