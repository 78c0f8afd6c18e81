import { groups, scenarios } from "./all.ts";
import type { Scenario } from "./scenario.ts";

/** Generates the tables of docs/providers.md from the scenarios, so that the page lists what the tests check. */
export const toTables = (): string =>
  [
    "## When the prompt is too long",
    "",
    "| server | status | what it says |",
    "|---|---|---|",
    ...scenarios.flatMap(({ server, says }) => (says ? [row(server, String(says.status), quote(says.words))] : [])),
    "",
    ...groups.flatMap(({ title, scenarios: list }) => [
      `## ${title}`,
      "",
      "| server | what happens | what the user sees |",
      "|---|---|---|",
      ...list.map((scenario) => row(scenario.server, scenario.name, toSight(scenario))),
      "",
    ]),
  ].join("\n");

const row = (...cells: readonly string[]): string => `| ${cells.map((cell) => escape(cell)).join(" | ")} |`;
const escape = (cell: string): string => cell.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
const quote = (words: string): string => `“${words}”`;

const toSight = ({ outcome, sentence, answer, waitingFor }: Scenario): string =>
  [
    ...(waitingFor ? [`While it waits: “${waitingFor}”`] : []),
    ...(answer !== "" ? ["The answer."] : outcome === "failed" ? ["No answer."] : ["The reasoning."]),
    ...(sentence === null ? [] : [sentence]),
    ...(outcome === "limit" || (outcome === "failed" && answer !== "") ? ["*Continue* is offered."] : []),
  ].join(" ");
