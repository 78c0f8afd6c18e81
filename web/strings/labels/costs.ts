import { define } from "../language.ts";
import type { purposes } from "../../../protocol/cost.ts";

const byPurpose: Readonly<Record<(typeof purposes)[number], string>> = {
  answer: "Answers",
  title: "Titles",
  summary: "Summaries",
  memory: "Memory",
  state: "Work state",
  search: "Paid web searches",
};

export const costLabels = define("costLabels", {
  purposes: byPurpose,
  unknownPrice: "price unknown",
  input: (tokens: string) => `${tokens} in`,
  demoModel: "Demo model",
  estimatedInput: (tokens: string) => `about ${tokens} tokens in`,
  output: (tokens: string) => `${tokens} out`,
});
