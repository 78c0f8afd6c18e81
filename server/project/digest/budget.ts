import type { ContextMode } from "../../../protocol/project/project.ts";

/** In tokens, for windows from `ROOMY_WINDOW` up; scaled down proportionally for smaller ones. */
const BUDGETS = {
  project: 2_000,
  global: 2_000,
  ontology: 2_300,
  focus: 3_000,
  workspace: 600,
  since: 500,
  instructions: 6_000,
};
const LEAST = 150;
const ROOMY_WINDOW = 32_000;

export const toBudget = (
  name: ContextMode | "workspace" | "since" | "instructions",
  windowTokens: number | null,
): number => Math.max(LEAST, Math.floor(BUDGETS[name] * Math.min(1, (windowTokens ?? ROOMY_WINDOW) / ROOMY_WINDOW)));

/** Share of the window for the text of a focused entity, in addition to the digest's own budget. */
const FOCUS_TEXT = { share: 1 / 8, most: 16_000 };

export const toFocusTextBudget = (windowTokens: number | null): number =>
  Math.min(FOCUS_TEXT.most, Math.max(LEAST, Math.floor((windowTokens ?? ROOMY_WINDOW) * FOCUS_TEXT.share)));
