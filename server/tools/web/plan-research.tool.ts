import { z } from "zod";
import { defineTool, type CreateTool } from "../tool.ts";
import { toQueryKey } from "./search-cache.ts";

const Planned = z.object({
  query: z.string().trim().min(1).max(200).describe("As it will be searched"),
  priority: z.int().min(1).max(3).describe("1 comes first"),
  why: z.string().trim().max(300).describe("What it is to find out"),
});
const Input = z.object({ queries: z.array(Planned).min(1).max(3) });

/** The plan is its own result: what is searched later ticks it off. */
const create: CreateTool = () =>
  defineTool({
    name: "plan_research",
    description:
      "Before searching: write down the one to three web searches that the question needs. The person sees it.",
    input: Input,
    output: Input,
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 1000 },
    describe: ({ queries }) => `Plan ${queries.length === 1 ? "one search" : `${queries.length} searches`}`,
    summarize: ({ queries }) => `Planned to search: ${queries.map(({ query }) => `“${query}”`).join(", ")}`,
    execute: async ({ queries }) => {
      const ordered = queries.toSorted((a, b) => a.priority - b.priority);
      const byKey = new Map(ordered.toReversed().map((one) => [toQueryKey(one.query), one]));
      return { output: { queries: ordered.filter((one) => byKey.get(toQueryKey(one.query)) === one) } };
    },
  });
export default create;
