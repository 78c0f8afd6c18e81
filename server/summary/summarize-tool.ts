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
  /** Verbatim sentences. The summary is made in the background and stored under `summaryId`. */
  overview: z.string(),
  points: z.array(z.string()),
  note: z.string(),
});

const PREVIEW_TOKENS = 250;
const MOST_MESSAGES = 60;

/**
 * `@summarize`: starts a summary and returns its most important sentences at once. The turn does not wait for a model. The card
 * shows the summary as soon as it is made.
 */
export const createSummarizeTool = ({ planManual }: Pick<Summaries, "planManual">): Tool =>
  defineTool({
    name: "summarize",
    description:
      "Summarizes this thread since the last summary, when the user asks for it. The summary is made in the background. The " +
      "most important sentences are returned at once.",
    input: z.object({}),
    output: Output,
    repeat: "keyed",
    effects: ["write"],
    limits: { timeoutMs: 10_000 },
    locks: () => ["summaries"],
    describe: () => "Summarize this thread",
    summarize: (_, output) => `a summary of ${(output as z.infer<typeof Output>).messages} messages was started`,
    execute: async (_, { read, threadId, progress, noteSources }) => {
      const thread = await read.thread(threadId);
      if (!thread) throw new Error("The thread was deleted.");
      const { summaryId, writes, messages } = await planManual(thread).catch((error: unknown) => {
        throw error instanceof ApiError ? new Error(error.message) : error;
      });
      progress({ text: `Reading ${messages} messages` });
      const run = await read.liveRun(threadId);
      const window = { thread: threadId, branch: thread.branch, count: Math.min(MOST_MESSAGES, messages + 2) };
      const said = (await loadWindow(read, window)).messages.filter(({ id }) => id !== run?.message);
      noteSources(joinSources(...said.map(({ parts }) => untrustedIn(parts))));
      // Without tool results: only the summary that follows includes them, with their untrusted sources.
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
