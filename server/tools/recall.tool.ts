import { z } from "zod";
import { joinSources } from "../../protocol/context/untrusted.ts";
import { renderRecalled, searchRecall } from "../recall/recall.ts";
import { defineTool, type CreateTool } from "./tool.ts";

const BUDGET_TOKENS = 2000;

const Input = z.object({
  query: z
    .string()
    .min(1)
    .max(1000)
    .describe("Words, names, dates or ids to search for, as they were probably written"),
});
const Output = z.object({
  /** A line with the date, then `m12> text`: `>` the user, `<` the assistant, `#` a tool. */
  passages: z.string(),
  messages: z.number(),
});

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "recall",
    description:
      "Searches earlier messages of this conversation, including those no longer in the prompt. Returns passages by date: m12> " +
      "is from the user, m12< from you, m12# from a tool.",
    input: Input,
    output: Output,
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 10_000 },
    describe: ({ query }) => `Search this conversation for “${query}”`,
    summarize: ({ query }, output) =>
      `Searched this conversation for “${query}”: ${(output as z.infer<typeof Output>).messages} messages`,
    execute: async ({ query }, { read, threadId, runId, noteSources }) => {
      const thread = await read.thread(threadId);
      const run = await read.run(runId);
      const answer = run && (await read.message(threadId, run.message));
      const branchId = answer?.branch ?? thread?.branch;
      if (branchId === undefined) throw new Error("This conversation no longer exists.");
      // Excludes the answer being written and the user message it answers.
      const upTo = answer ? answer.depth - 2 : Number.MAX_SAFE_INTEGER;
      const found = await searchRecall(read, {
        threadId,
        branchId,
        upTo,
        query,
        now: clock.now(),
        budgetTokens: BUDGET_TOKENS,
        visible: { cut: upTo, messageIds: new Set() },
      });
      noteSources(joinSources(...found.map(({ untrusted }) => untrusted)));
      return { output: { passages: renderRecalled(found), messages: found.length } };
    },
  });
export default create;
