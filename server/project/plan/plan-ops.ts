import { ApiError } from "../../../protocol/errors.ts";
import { projectLimits } from "../../../protocol/project/kinds.ts";
import type { EntityOp } from "../../../protocol/project/project.ts";
import type { RowOf } from "../../store/schema.ts";
import type { AtOnce, Made } from "./act.ts";
import { applyOps } from "../draft/apply-ops.ts";
import { createDraft, type Draft, type Situation } from "../draft/draft.ts";
import type { Item } from "../draft/item.ts";
import { loadForOps } from "./load.ts";
import { settleDraft } from "../draft/settle-draft.ts";
import { toSentence } from "./words.ts";

/** `items`: what was written, as it will be. */
export type MadeOps = Made & { readonly items: readonly Item[] };

/** Reads what these ops need, and plans them. */
export async function makeOps(
  reads: AtOnce,
  project: RowOf<"projects">,
  ops: readonly EntityOp[],
  now: number,
): Promise<MadeOps> {
  await checkCount(reads, project, ops);
  let whole: ReadonlySet<string | null> = new Set();
  for (;;) {
    const draft = planOps(await loadForOps({ reads, project, now, whole }, ops), ops);
    if (draft.cramped.size === 0) return toMade(draft);
    whole = new Set([...whole, ...draft.cramped]);
  }
}

/** Pure. */
export function planOps(situation: Situation, ops: readonly EntityOp[]): Draft {
  const draft = createDraft(situation);
  applyOps(draft, ops);
  return draft;
}

/** Pure. */
export function toMade(draft: Draft): MadeOps {
  const settled = settleDraft(draft);
  return { ...settled, text: toSentence(settled.changes, draft) };
}

/** Counted only where there can be so many. */
async function checkCount(
  reads: Pick<AtOnce, "countEntities">,
  project: RowOf<"projects">,
  ops: readonly EntityOp[],
): Promise<void> {
  const { entities, opsPerAct } = projectLimits;
  const created = ops.filter((op) => op.do === "create").length;
  if (created === 0 || project.seq * opsPerAct < entities) return;
  if ((await reads.countEntities(project.id, entities)) + created <= entities) return;
  throw new ApiError("too-large", `A project holds at most ${entities.toLocaleString("en")} things.`);
}
