import { EntityOp } from "../../../protocol/project/project.ts";
import { planEntityOps, planAct, toKeyedId, type SnapshotReads } from "../../project/project.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import type { ProjectRow } from "./find-project.ts";
import { fromRow } from "./to-line.ts";

type WriteOptions = {
  readonly context: ToolContext;
  readonly project: ProjectRow;
  /** The call's arguments, which identify the act on a retry. */
  readonly input: unknown;
  readonly now: number;
  /** Called with a snapshot of the project. */
  readonly toOps: (reads: SnapshotReads) => Promise<readonly EntityOp[]>;
};

/** One call is one act under the call's key. The plan is committed with the result, and made again if a concurrent write wins. */
export async function planWrite({ context, project, input, now, toOps }: WriteOptions): Promise<ToolResult> {
  const { userId, threadId, runId, key, read, untrusted } = context;
  const request = {
    userId,
    projectId: project.id,
    id: toKeyedId(key),
    input,
    author: { by: "run" as const, threadId, runId },
    untrusted,
    now,
  };
  const { act, effect, writes, events } = await planAct(read, request, async (reads, row) =>
    planEntityOps(reads, row, checkOps(await toOps(reads)), now),
  );
  const output = {
    project: { id: project.id, name: project.name },
    done: act.changes.length === 0 ? "Nothing changed: everything already had these values." : act.text,
    act_id: act.id,
    entities: (effect?.items ?? []).map(fromRow),
  };
  return writes.length === 0 ? { output } : { output, commit: { writes, events } };
}

/** The same limits as in the API. */
function checkOps(ops: readonly EntityOp[]): readonly EntityOp[] {
  const checked = EntityOp.array().safeParse(ops);
  if (checked.success) return checked.data;
  const faults = checked.error.issues.map(({ path: [at, field], message }) => {
    const op = ops[Number(at)];
    return `${op?.do ?? "write"} ${Number(at) + 1}${field === undefined ? "" : `, ${String(field)}`}: ${message}`;
  });
  throw new Error(`Nothing was written. ${faults.slice(0, 5).join("; ")}.`);
}
