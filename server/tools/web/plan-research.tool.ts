import { z } from "zod";
import { defineTool, type CreateTool } from "../tool.ts";
import { webGroup } from "./group.ts";
import { toQueryKey } from "./search-cache.ts";

const PlannedQuery = z.object({
  query: z.string().trim().min(1).max(200).describe("The search query"),
  priority: z.int().min(1).max(3).describe("1 is searched first"),
  why: z.string().trim().max(300).describe("What this search should find out"),
});
const Input = z.object({ queries: z.array(PlannedQuery).min(1).max(3) });

/** Returns the plan itself; the page ticks off queries as they are searched. */
const create: CreateTool = () =>
  defineTool({
    name: "plan_research",
    group: webGroup,
    description:
      "Call this before searching: list the one to three web searches that the question needs. Shown to the user.",
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
