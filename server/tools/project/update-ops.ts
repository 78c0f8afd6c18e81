import type { z } from "zod";
import type { EntityOp } from "../../../protocol/project/project.ts";
import type { SnapshotReads } from "../../project/project.ts";
import type { Update as UpdateSchema } from "./inputs.ts";
import { findAddedPlaceholder } from "../../redact/redact.ts";
import { parseMoment } from "./moments.ts";
import { fromRow } from "./to-line.ts";
import { editBody } from "./edit-body.ts";

export type Update = z.infer<typeof UpdateSchema>;
type Row = Awaited<ReturnType<SnapshotReads["fullEntities"]>>[number];

/** Operations on the current rows. If the model gives a version, it must be the current one. */
export async function toUpdateOps(
  reads: Pick<SnapshotReads, "fullEntities">,
  project: string,
  updates: readonly Update[],
): Promise<readonly EntityOp[]> {
  const ids = updates.map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) throw new Error(`${twice} is listed twice. Combine its changes.`);
  const rows = await findRows(reads, project, ids);
  return updates.flatMap((update) => {
    const row = rows.get(update.id);
    return row ? toOps(update, row) : [];
  });
}

/** All rows, or an error. Deleted entities and those of other projects are treated as missing. */
export async function findRows(
  reads: Pick<SnapshotReads, "fullEntities">,
  project: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Row>> {
  const found = (await reads.fullEntities(project, [...new Set(ids)])).filter(({ deleted }) => deleted === 0);
  const rows = new Map(found.map((row) => [row.id, row]));
  const missing = ids.filter((id) => !rows.has(id));
  if (missing.length === 0) return rows;
  throw new Error(`Nothing was written. Not in this project: ${missing.join(", ")}. Find ids with list_entities.`);
}

function toOps(update: Update, row: Row): readonly EntityOp[] {
  const { id, version, title, state, priority, starts, ends, parent_id: parent, after } = update;
  if (version !== undefined && version !== row.version) {
    throw new Error(`${id} has changed since version ${version}. It is now ${JSON.stringify(fromRow(row))}.`);
  }
  const body = editBody(row.body, update, row.title);
  for (const [before, after] of [
    [row.body, body],
    [row.title, title],
  ] as const)
    refusePlaceholders(before, after);
  const set = {
    ...(title === undefined ? {} : { title }),
    ...(body === undefined ? {} : { body }),
    ...(state === undefined ? {} : { state }),
    ...(priority === undefined ? {} : { priority }),
    ...(starts === undefined ? {} : { startsAt: toTime(starts, "start") }),
    ...(ends === undefined ? {} : { endsAt: toTime(ends, "end") }),
  };
  const isMoved = parent !== undefined || after !== undefined;
  return [
    ...(Object.keys(set).length ? [{ do: "update" as const, id, version: row.version, ...set }] : []),
    ...(isMoved
      ? [
          {
            do: "move" as const,
            id,
            version: row.version,
            parentId: parent === undefined ? row.parent : parent,
            ...(after === undefined ? {} : { after }),
          },
        ]
      : []),
  ];
}

/** A redacted secret must not be overwritten by its placeholder. */
export function refusePlaceholders(before: string, after: string | undefined): void {
  const put = findAddedPlaceholder(before, after ?? "");
  if (put === undefined) return;
  throw new Error(
    `${put} is a placeholder for a redacted secret. Writing it would overwrite the secret. Change other parts with append or edit.`,
  );
}

const toTime = (text: string | null, edge: "start" | "end"): number | null =>
  text === null ? null : (parseMoment(text, edge) ?? null);
