import type { Budget, costGroups, purposes } from "../../protocol/cost.ts";

const byPurpose: Readonly<Record<(typeof purposes)[number], string>> = {
  answer: "Answers",
  title: "Titles",
  summary: "Summaries",
  memory: "Memory",
  state: "Work state",
  search: "Paid search",
};

const groups: Readonly<Record<(typeof costGroups)[number], string>> = {
  day: "By day",
  model: "By model",
  thread: "By thread",
  purpose: "By purpose",
};

const scopes: Readonly<Record<Budget["scope"], string>> = {
  day: "A day",
  month: "A month",
  thread: "A thread",
};

export const costLabels = {
  purposes: byPurpose,
  groups,
  scopes,
  unknownPrice: "price unknown",
  input: (tokens: string) => `${tokens} in`,
  estimatedInput: (tokens: string) => `about ${tokens} in`,
  output: (tokens: string) => `${tokens} out`,
};
