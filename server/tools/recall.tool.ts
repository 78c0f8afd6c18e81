import { z } from "zod";
import { attachmentLimits } from "../../protocol/attachment-limits.ts";
import { joinSources, readSources } from "../../protocol/context/untrusted.ts";
import { indexedCharacters, renderRecalled, searchRecall } from "../recall/recall.ts";
import { findPassages } from "./read-text.ts";
import { defineTool, type CreateTool, type ToolContext } from "./tool.ts";

const BUDGET_TOKENS = 2000;
/** Only the beginning of a long file is indexed. The newest of these are searched themselves. */
const MOST_FILES = 3;
/** Limit for these files together: as many characters as one file can have. */
const MOST_CHARACTERS = attachmentLimits.textCharacters;
const TOKENS_PER_FILE = 600;
const MOST_LINES = 1000;

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
  /** Passages of long attached files; positions count characters. */
  files: z
    .array(
      z.object({
        ref: z.number(),
        title: z.string(),
        passages: z.array(z.object({ from: z.number(), to: z.number(), text: z.string() })),
      }),
    )
    .optional(),
});

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "recall",
    description:
      "Searches earlier messages of this conversation, including those no longer in the prompt, and the files attached to it. " +
      "Returns passages by date: m12> is from the user, m12< from you, m12# from a tool; and passages of long files.",
    input: Input,
    output: Output,
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 10_000 },
    describe: ({ query }) => `Search this conversation for “${query}”`,
    summarize: ({ query }, output) => {
      const { messages, files = [] } = output as z.infer<typeof Output>;
      const found = [`${messages} messages`, ...files.map(({ ref, title }) => `[${ref}] ${title}`)];
      return `Searched this conversation for “${query}”: ${found.join(", ")}`;
    },
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
      const files = await findInFiles(read, threadId, query);
      noteSources(joinSources(...[...found, ...files].map(({ untrusted }) => untrusted)));
      const listed = files.map(({ ref, title, passages }) => ({ ref, title, passages }));
      const output = { passages: renderRecalled(found), messages: found.length };
      return { output: listed.length === 0 ? output : { ...output, files: listed } };
    },
  });

async function findInFiles(read: ToolContext["read"], threadId: string, query: string) {
  const lines = await read.artifactLines(threadId, 0, MOST_LINES);
  const long = lines.filter(({ kind, characters }) => kind === "attachment" && characters > indexedCharacters);
  let room: number = MOST_CHARACTERS;
  const searched: number[] = [];
  for (const { ref, characters } of long.slice(-MOST_FILES).toReversed()) {
    room -= characters;
    if (room >= 0 || searched.length === 0) searched.push(ref);
  }
  const rows = await Promise.all(searched.map((ref) => read.artifact(threadId, ref)));
  return rows.flatMap((row) => {
    const { passages } = row ? findPassages(row.body, query, TOKENS_PER_FILE) : { passages: [] };
    if (!row || passages.length === 0) return [];
    return [
      { ref: row.ref, title: row.title.slice(0, 120).toWellFormed(), passages, untrusted: readSources(row.untrusted) },
    ];
  });
}

export default create;
