import { PART_VERSION, type Part } from "../../protocol/parts.ts";
import type { RunView } from "../../protocol/run.ts";
import type { RowOf } from "./schema.ts";

type PartRow = Pick<RowOf<"parts">, "v" | "body">;

/** Whether this version of Stonechat can read the part. */
export const isReadable = ({ v }: PartRow): boolean => v <= PART_VERSION;

/** Parses a stored part, which was validated before it was stored. Throws if a newer Stonechat stored it. */
export function toPart(row: PartRow): Part {
  if (!isReadable(row))
    throw new Error(`This part has version ${row.v}, which a newer Stonechat stored. Update this server.`);
  return JSON.parse(row.body) as Part;
}

/** The fields of a stored run that all versions share. `stepSeq`: the events of the running step follow this seq. */
export type StoredRun = { readonly view: RunView; readonly stepSeq: number; readonly at: { readonly kind: string } };

export const toStoredRun = (row: Pick<RowOf<"runs">, "body">): StoredRun => JSON.parse(row.body) as StoredRun;
