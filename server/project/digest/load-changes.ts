import type { DigestChangeRow } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import type { DigestTools } from "../digest.ts";
import { toBudget } from "./budget.ts";
import type { DigestRequest } from "./shape.ts";
import { renderInstructions } from "./render-instructions.ts";
import { renderFileChanges, renderProjectChanges } from "./render-changes.ts";

/** Changes beyond this number are only counted. */
const MAX_CHANGES = 120;

/** The seq of an included digest with this key; null if there is none or its seq is newer than the project's. */
export function parseSeq(included: string | undefined, key: string, seq: number): number | null {
  const at = included?.lastIndexOf("@") ?? -1;
  if (included === undefined || included.slice(0, at) !== key) return null;
  const known = Number(included.slice(at + 1));
  return known <= seq ? known : null;
}

type Seqs = { readonly project: number | null; readonly workspace: number | null };
type Sinces = { readonly project: string | null; readonly workspace: string | null };

export async function loadChanges(
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
  const rows = await read.digestChanges(projectId, oldest, MAX_CHANGES);
  const total = rows.length < MAX_CHANGES ? rows.length : await read.digestChangeCount(projectId, oldest);
  const budget = toBudget("since", request.windowTokens);
  const render = (
    seen: number | null,
    write: (after: readonly DigestChangeRow[], left: number, since: Parameters<typeof renderFileChanges>[2]) => string,
  ): string | null => {
    if (seen === null) return null;
    const after = rows.filter((row) => row.seq > seen);
    const left = after.length === rows.length ? total - rows.length : 0;
    return write(after, left, { projectId, from: seen, to: seq, threadId: request.threadId, budget, count });
  };
  const instructions = hasNewInstructions(rows, total)
    ? renderInstructions(project, { count, windowTokens: request.windowTokens, isChanged: true })
    : [];
  const changed = render(from.project, (after, left, since) => renderProjectChanges(after, after.length + left, since));
  return {
    project: changed === null ? null : [...(changed === "" ? [] : [changed]), ...instructions].join("\n"),
    workspace: render(from.workspace, renderFileChanges),
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
