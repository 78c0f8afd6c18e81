import { z } from "zod";
import { joinSources } from "../../protocol/context/untrusted.ts";
import { renderRecalled, searchRecall } from "../recall/recall.ts";
import { defineTool, type CreateTool } from "./tool.ts";

const BUDGET_TOKENS = 2000;

const Input = z.object({
  query: z.string().min(1).max(1000).describe("Words, names, dates or ids to look for, as they were likely said"),
});
const Output = z.object({
  /** A line of the date, then `m12> text`: `>` the person, `<` the assistant, `#` a tool. */
  passages: z.string(),
  messages: z.number(),
});

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "recall",
    description:
      "Looks further back in this conversation, also at what is no longer in view. Answers passages by date: m12> is what the " +
      "person said, m12< what you said, m12# what a tool found.",
    input: Input,
    output: Output,
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 10_000 },
    describe: ({ query }) => `Look back for “${query}”`,
    summarize: ({ query }, output) =>
      `Looked back for “${query}”: ${(output as z.infer<typeof Output>).messages} messages`,
    execute: async ({ query }, { read, threadId, runId, noteSources }) => {
      const thread = await read.thread(threadId);
      const run = await read.run(runId);
      const answer = run && (await read.message(threadId, run.message));
      const branchId = answer?.branch ?? thread?.branch;
      if (branchId === undefined) throw new Error("This conversation is gone.");
      // The answer that is being written, and the words it answers, need no looking up.
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
