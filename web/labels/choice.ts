import type { ModelInfo } from "../../protocol/api.ts";
import type { Effort } from "../../protocol/model.ts";
import { modelLabels as strings } from "../strings/labels/models.ts";

/** Model, profile and reasoning effort of a thread. */
export type Choice = {
  readonly model: string;
  /** Name of a built-in profile, or id of a custom one. */
  readonly profile: string;
  /** null: the default. */
  readonly effort: Effort | null;
};

export const usualEffort = "medium" satisfies Effort;

export const effortWords = strings.efforts;

/** Whether an effort can be set. Many OpenAI-compatible servers reject settings that they do not know. */
export const canThink = (model: Pick<ModelInfo, "reasoning" | "effort"> | undefined): boolean =>
  model !== undefined && (model.effort ?? model.reasoning);

/** Display name of a built-in profile, whose id is its name. */
export const toJobName = (profile: string): string => profile.charAt(0).toUpperCase() + profile.slice(1);

/** Storage key of the model that was chosen last in this browser. New threads start with it. */
export const lastModelKey = "model";

export const usualProfile = "stone";

/** "Kimi K2 · Research · high effort"; defaults are left out. */
export function describeChoice(name: string, job: string | null, effort: Effort | null): readonly string[] {
  return [
    name,
    ...(job === null ? [] : [job]),
    ...(effort === null || effort === usualEffort
      ? []
      : [effort === "none" ? strings.noThinking : strings.effort(effort)]),
  ];
}
