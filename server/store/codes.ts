import type { PolicyName } from "../../protocol/context/policy.ts";
import type { Effort } from "../../protocol/model.ts";
import type { ContextMode } from "../../protocol/project/project.ts";
import type { RowOf } from "./schema.ts";

/** Values of `runs.waiting`. A run that waits for the user needs no lease and is skipped by the sweep. */
export const runWaiting = {
  no: 0,
  forUser: 1,
  /** The user decided or chose *Retry*: the run can be claimed again. */
  answered: 2,
} as const;

export type RunWaiting = (typeof runWaiting)[keyof typeof runWaiting];

/** Settings of a thread that fall back to a default when null: policy to the profile's, effort to medium, mode to the place's. */
type ThreadOptions = {
  readonly policy: PolicyName | null;
  readonly effort: Effort | null;
  readonly mode: ContextMode | null;
};

/** Reads the columns in which an empty string means "use the default". */
export const toThreadOptions = (row: Pick<RowOf<"threads">, "policy" | "effort" | "mode">): ThreadOptions => ({
  policy: row.policy || null,
  effort: row.effort || null,
  mode: row.mode || null,
});

/** The same columns for a write; fields that are absent or undefined are not written. */
export function toOptionColumns({
  policy,
  effort,
  mode,
}: {
  readonly [K in keyof ThreadOptions]?: ThreadOptions[K] | undefined;
}): Partial<Pick<RowOf<"threads">, "policy" | "effort" | "mode">> {
  return {
    ...(policy === undefined ? {} : { policy: policy ?? "" }),
    ...(effort === undefined ? {} : { effort: effort ?? "" }),
    ...(mode === undefined ? {} : { mode: mode ?? "" }),
  };
}
