import type { AgentState } from "../../../protocol/context/context.ts";
import { quoteValue } from "../tell.ts";

type Told = Pick<AgentState, "goal" | "facts" | "pending" | "results">;

/** The state for a prompt: the same bytes for the same state, everything in it quoted, so that nothing can pass for more than data. */
export function tellAgentState({ goal, facts, pending, results }: Told): string {
  const list = (name: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [`${name}:`, ...lines.map((line) => `- ${line}`)];
  return [
    ...(goal === "" ? [] : [`goal: ${quoteValue(goal)}`]),
    ...list("facts, later ones hold against earlier ones", facts.map(quoteValue)),
    ...list("pending", pending.map(quoteValue)),
    ...list(
      "results",
      results.map(({ tool, said, depth }) => `${quoteValue(tool)} at ${depth}: ${quoteValue(said)}`),
    ),
  ].join("\n");
}
