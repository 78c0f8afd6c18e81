import type { DigestChangeRow } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import type { DigestTools } from "../digest.ts";
import { toBudget } from "./budget.ts";
import type { DigestRequest } from "./shape.ts";
import { renderInstructions } from "./render-instructions.ts";
import { renderFileChanges, renderProjectChanges } from "./render-changes.ts";

/** More changes than these are counted, not told. */
const MOST_CHANGES = 120;

/** The seq at which the same was told; null: it was not, or it is of another time than ours. */
export function findSeq(told: string | undefined, key: string, seq: number): number | null {
  const at = told?.lastIndexOf("@") ?? -1;
  if (told === undefined || told.slice(0, at) !== key) return null;
  const known = Number(told.slice(at + 1));
  return known <= seq ? known : null;
}

type Seqs = { readonly project: number | null; readonly workspace: number | null };
type Sinces = { readonly project: string | null; readonly workspace: string | null };

export async function findSince(
  { read, count }: DigestTools,
  request: DigestRequest,
  project: RowOf<"projects">,
  from: Seqs,
): Promise<Sinces> {
  const { id: projectId, seq } = project;
  const known = [from.project, from.workspace].filter((one) => one !== null);
  const oldest = Math.min(...known);
  if (known.length === 0 || oldest === seq)
    return { project: from.project === null ? null : "", workspace: from.workspace === null ? null : "" };
  const rows = await read.digestChanges(projectId, oldest, MOST_CHANGES);
  const total = rows.length < MOST_CHANGES ? rows.length : await read.digestChangeCount(projectId, oldest);
  const budget = toBudget("since", request.windowTokens);
  const tell = (
    seen: number | null,
    write: (after: readonly DigestChangeRow[], left: number, since: Parameters<typeof renderFileChanges>[2]) => string,
  ): string | null => {
    if (seen === null) return null;
    const after = rows.filter((row) => row.seq > seen);
    const left = after.length === rows.length ? total - rows.length : 0;
    return write(after, left, { projectId, from: seen, to: seq, threadId: request.threadId, budget, count });
  };
  const instructed = hasNewInstructions(rows, total)
    ? renderInstructions(project, { count, windowTokens: request.windowTokens, isChanged: true })
    : [];
  const changed = tell(from.project, (after, left, since) => renderProjectChanges(after, after.length + left, since));
  return {
    project: changed === null ? null : [...(changed === "" ? [] : [changed]), ...instructed].join("\n"),
    workspace: tell(from.workspace, renderFileChanges),
  };
}

function hasNewInstructions(rows: readonly DigestChangeRow[], total: number): boolean {
  return (
    total > rows.length ||
    rows.some(
      ({ what, had, after }) => what === "project" && had === 1 && (after === null || after.includes('"instructions"')),
    )
  );
}
