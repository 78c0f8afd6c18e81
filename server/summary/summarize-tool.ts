import { z } from "zod";
import { joinSources, untrustedIn } from "../../protocol/context/untrusted.ts";
import { ApiError } from "../../protocol/errors.ts";
import { extractSummary } from "../context/extract.ts";
import { countTokens } from "../lib/tokens.ts";
import { loadWindow } from "../thread/path.ts";
import { defineTool, type Tool } from "../tools/tool.ts";
import { isInjected } from "./injected.ts";
import { toTurn } from "./make/source.ts";
import { toChanged } from "./plan-rows.ts";
import type { Summaries } from "./summary.ts";

const Output = z.object({
  summaryId: z.string(),
  messages: z.number(),
  /** What was said, in its own words; the summary itself is made in the background and stands under its id. */
  overview: z.string(),
  points: z.array(z.string()),
  note: z.string(),
});

const PREVIEW_TOKENS = 250;
const MOST_MESSAGES = 60;

/**
 * `@summarize`: begins a summary and tells at once, in words of the thread, what it will be about. The turn does not wait for
 * a model; the card shows the summary as soon as it is made.
 */
export const createSummarizeTool = ({ planManual }: Pick<Summaries, "planManual">): Tool =>
  defineTool({
    name: "summarize",
    description:
      "Sums up this thread since the last summary, when the person asks for it. It is made in the background; what comes " +
      "back at once are its most telling sentences.",
    input: z.object({}),
    output: Output,
    repeat: "keyed",
    effects: ["write"],
    limits: { timeoutMs: 10_000 },
    locks: () => ["summaries"],
    describe: () => "Sum up this thread",
    summarize: (_, output) => `a summary of ${(output as z.infer<typeof Output>).messages} messages was begun`,
    execute: async (_, { read, threadId, progress, noteSources }) => {
      const thread = await read.thread(threadId);
      if (!thread) throw new Error("The thread is gone.");
      const { summaryId, writes, messages } = await planManual(thread).catch((error: unknown) => {
        throw error instanceof ApiError ? new Error(error.message) : error;
      });
      progress({ text: `Reading ${messages} messages` });
      const run = await read.liveRun(threadId);
      const window = { thread: threadId, branch: thread.branch, count: Math.min(MOST_MESSAGES, messages + 2) };
      const said = (await loadWindow(read, window)).messages.filter(({ id }) => id !== run?.message);
      noteSources(joinSources(...said.map(({ parts }) => untrustedIn(parts))));
      // What tools brought is left to the summary, which knows whose words they are.
      const turns = said.slice(0, -1).map((message) => ({ ...toTurn(message), tools: [] }));
      const { overview, keyPoints, decisions } = extractSummary(turns, PREVIEW_TOKENS, countTokens);
      return {
        output: {
          summaryId,
          messages,
          overview: isInjected(overview) ? "" : overview,
          points: [...decisions, ...keyPoints].filter((point) => !isInjected(point)),
          note: "The summary is being made in the background.",
        },
        commit: { writes, events: [toChanged(threadId)] },
      };
    },
  });
