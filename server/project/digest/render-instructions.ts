import { escapePromptTags } from "../../lib/prompt-tags.ts";
import type { RowOf } from "../../store/schema.ts";
import { toBudget } from "./budget.ts";
import type { CountLine } from "./outline.ts";

type Telling = { readonly count: CountLine; readonly windowTokens: number | null; readonly isChanged?: boolean };

/** The person's own words for all threads of the project: not material, and whole as far as there is room, line by line. */
export function renderInstructions(
  { id, instructions }: RowOf<"projects">,
  { count, windowTokens, isChanged = false }: Telling,
): readonly string[] {
  if (instructions.trim() === "") return isChanged ? ["The person has no instructions for this project any more."] : [];
  let left = toBudget("instructions", windowTokens);
  const lines = escapePromptTags(instructions.trim()).split("\n");
  const kept = lines.filter((line) => (left -= count(line) + 1) >= 0);
  const out = lines.length - kept.length;
  return [
    `<project-instructions project="${id}">`,
    `The person's own instructions for this project${isChanged ? ", as they are now" : ""}; follow them.`,
    ...kept,
    ...(out > 0 ? [`(${out} more lines did not fit)`] : []),
    "</project-instructions>",
  ];
}
