import { EntityOp } from "../../../protocol/project/project.ts";
import { planEntityOps, planAct, toKeyedId, type SnapshotReads } from "../../project/project.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import type { ProjectRow } from "./find-project.ts";
import { fromRow } from "./to-line.ts";

type Writing = {
  readonly context: ToolContext;
  readonly project: ProjectRow;
  /** The call's arguments: what the act is known by. */
  readonly input: unknown;
  readonly now: number;
  /** From what stands there at the moment of planning. */
  readonly toOps: (reads: SnapshotReads) => Promise<readonly EntityOp[]>;
};

/** One call is one act, under the call's key: planned here, committed with the result, planned anew when somebody was faster. */
export async function planWrite({ context, project, input, now, toOps }: Writing): Promise<ToolResult> {
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
    done: act.changes.length === 0 ? "Nothing changed: it is so already." : act.text,
    act_id: act.id,
    entities: (effect?.items ?? []).map(fromRow),
  };
  return writes.length === 0 ? { output } : { output, commit: { writes, events } };
}

/** As strict with a model as with anybody else. */
function checkOps(ops: readonly EntityOp[]): readonly EntityOp[] {
  const checked = EntityOp.array().safeParse(ops);
  if (checked.success) return checked.data;
  const faults = checked.error.issues.map(({ path: [at, field], message }) => {
    const op = ops[Number(at)];
    return `${op?.do ?? "write"} ${Number(at) + 1}${field === undefined ? "" : `, ${String(field)}`}: ${message}`;
  });
  throw new Error(`Nothing was written. ${faults.slice(0, 5).join("; ")}.`);
}
