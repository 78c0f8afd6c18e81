import type { AgentState } from "../../protocol/context/context.ts";

type StateContent = Pick<AgentState, "goal" | "facts" | "pending" | "results">;

/** The state as text for a prompt. Deterministic. All values are quoted, so that they are read as data. */
export function renderAgentState({ goal, facts, pending, results }: StateContent): string {
  const list = (name: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [`${name}:`, ...lines.map((line) => `- ${line}`)];
  return [
    ...(goal === "" ? [] : [`goal: ${quoteValue(goal)}`]),
    ...list("facts (later ones override earlier ones)", facts.map(quoteValue)),
    ...list("pending", pending.map(quoteValue)),
    ...list(
      "results",
      results.map(({ tool, said, depth }) => `${quoteValue(tool)} at ${depth}: ${quoteValue(said)}`),
    ),
  ].join("\n");
}

/** A value can start neither a line nor a tag. */
const quoteValue = (value: string): string =>
  JSON.stringify(value).replace(
    /[<>\u2028\u2029\u0085]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
