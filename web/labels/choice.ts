import type { Model } from "../../protocol/api.ts";
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

/** False for OpenAI-compatible servers: many reject settings they do not know. */
export const canThink = (model: Pick<Model, "reasoning" | "provider"> | undefined): boolean =>
  model !== undefined && model.reasoning && model.provider !== "compatible";

/** Display name of a built-in profile, whose id is its name. */
export const toJobName = (profile: string): string => profile.charAt(0).toUpperCase() + profile.slice(1);

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
