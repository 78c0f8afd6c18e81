import type { FileLine } from "../../protocol/workspace/workspace.ts";
import type { RowOf } from "../store/schema.ts";
import type { FileAtRow } from "../store/contract.ts";

export const toFileLine = ({ path, hash, bytes, lines, seq, updated_at }: RowOf<"files">): FileLine => ({
  path,
  hash,
  bytes,
  lines,
  seq,
  updatedAt: updated_at,
});

/** The state of a file after a change. */
export function toFileLineAt({ path, after, seq, updated_at }: FileAtRow): FileLine {
  const { hash, bytes, lines } = JSON.parse(after) as Pick<FileLine, "hash" | "bytes" | "lines">;
  return { path, hash, bytes, lines, seq, updatedAt: Number(updated_at) };
}
