import { escapePromptTags } from "../../lib/prompt-tags.ts";
import type { RowOf } from "../../store/schema.ts";
import { toBudget } from "./budget.ts";
import type { CountLine } from "./outline.ts";

type RenderOptions = { readonly count: CountLine; readonly windowTokens: number | null; readonly isChanged?: boolean };

/** The user's instructions for all threads of the project. Unlike the digest they are instructions; whole lines that fit the budget. */
export function renderInstructions(
  { id, instructions }: RowOf<"projects">,
  { count, windowTokens, isChanged = false }: RenderOptions,
): readonly string[] {
  if (instructions.trim() === "") return isChanged ? ["The user removed the instructions for this project."] : [];
  let left = toBudget("instructions", windowTokens);
  const lines = escapePromptTags(instructions.trim()).split("\n");
  const kept = lines.filter((line) => (left -= count(line) + 1) >= 0);
  const omitted = lines.length - kept.length;
  return [
    `<project-instructions project="${id}">`,
    `The user's ${isChanged ? "new " : ""}instructions for this project. Follow them.`,
    ...kept,
    ...(omitted > 0 ? [`(${omitted} more lines did not fit)`] : []),
    "</project-instructions>",
  ];
}
