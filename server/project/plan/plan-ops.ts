import { ApiError } from "../../../protocol/errors.ts";
import { projectLimits } from "../../../protocol/project/kinds.ts";
import type { EntityOp } from "../../../protocol/project/project.ts";
import type { RowOf } from "../../store/schema.ts";
import type { SnapshotReads, ActEffect } from "./act.ts";
import { applyOps } from "../draft/apply-ops.ts";
import { createDraft, type ActDraft, type Situation } from "../draft/draft.ts";
import type { Item } from "../draft/item.ts";
import { loadForOps } from "./load.ts";
import { settleDraft } from "../draft/settle-draft.ts";
import { toSentence } from "./sentences.ts";

/** `items`: the written entities in their new state. */
export type OpsEffect = ActEffect & { readonly items: readonly Item[] };

/** Loads the rows that the operations need and plans them. Loads all siblings if there is no gap between positions. */
export async function planEntityOps(
  reads: SnapshotReads,
  project: RowOf<"projects">,
  ops: readonly EntityOp[],
  now: number,
): Promise<OpsEffect> {
  await checkCount(reads, project, ops);
  let whole: ReadonlySet<string | null> = new Set();
  for (;;) {
    const draft = draftOps(await loadForOps({ reads, project, now, whole }, ops), ops);
    if (draft.cramped.size === 0) return toEffect(draft);
    whole = new Set([...whole, ...draft.cramped]);
  }
}

export function draftOps(situation: Situation, ops: readonly EntityOp[]): ActDraft {
  const draft = createDraft(situation);
  applyOps(draft, ops);
  return draft;
}

export function toEffect(draft: ActDraft): OpsEffect {
  const settled = settleDraft(draft);
  return { ...settled, text: toSentence(settled.changes, draft) };
}

/** Counts entities only if the project's seq allows that many. */
async function checkCount(
  reads: Pick<SnapshotReads, "countEntities">,
  project: RowOf<"projects">,
  ops: readonly EntityOp[],
): Promise<void> {
  const { entities, opsPerAct } = projectLimits;
  const created = ops.filter((op) => op.do === "create").length;
  if (created === 0 || project.seq * opsPerAct < entities) return;
  if ((await reads.countEntities(project.id, entities)) + created <= entities) return;
  throw new ApiError("too-large", `A project can have at most ${entities.toLocaleString("en")} entities.`);
}
