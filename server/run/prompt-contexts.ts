import type { Body } from "../../protocol/api.ts";
import type { ContextView, CompactionView } from "../../protocol/context/context.ts";
import { ApiError } from "../../protocol/errors.ts";
import { threadStream } from "../../protocol/ids.ts";
import type { LogEntry } from "../log/log.ts";
import { toThreadOptions, type Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { loadProfile, toRunProfile } from "./own-profiles.ts";
import { createPins } from "./pins.ts";
import { previewPrompt } from "./preview-prompt.ts";
import { createReceiptViews } from "./receipt-views.ts";
import type { RunDeps } from "./run-context.ts";

/**
 * The context of a thread's prompts, for its owner: compactions, pins, receipts, rebuilt requests and previews. Changes are
 * committed here and take effect with the next model call.
 */
export type PromptContexts = ReturnType<typeof createPromptContexts>;

type Views = Pick<ContextView, "summaries" | "state">;

type Options = {
  readonly deps: RunDeps;
  /** Summaries and work state of the thread, from other modules. */
  readonly viewsOf: (thread: RowOf<"threads">) => Promise<Views>;
};

const MAX_COMPACTIONS = 50;

export function createPromptContexts({ deps, viewsOf }: Options) {
  const { log } = deps;
  const { read } = deps.store;
  const pins = createPins(deps);

  return {
    view: async (thread: RowOf<"threads">): Promise<ContextView> => {
      const [epochs, pinned, views] = await Promise.all([
        read.compactions(thread.id, MAX_COMPACTIONS),
        pins.list(thread.id),
        viewsOf(thread),
      ]);
      const policy =
        toThreadOptions(thread).policy ?? (await loadProfile(deps, thread.owner, toRunProfile(thread))).policy;
      return { policy, epochs: epochs.map(toCompactionView), pins: pinned, ...views };
    },

    ...createReceiptViews(deps),

    preview: (userId: string, thread: RowOf<"threads">, body: Body<"previewContext">) =>
      previewPrompt(deps, userId, thread, body),

    addPin: pins.add,
    removePin: pins.remove,

    undoEpoch: async (threadId: string, epochId: string): Promise<CompactionView> => {
      const row = ofThread(await read.compaction(epochId), threadId);
      if (row.undone === 1) return toCompactionView(row);
      const write: Write = {
        do: "update",
        table: "epochs",
        set: { undone: 1 },
        where: { id: epochId },
        expectOne: true,
      };
      const event: LogEntry = { stream: threadStream(threadId), event: { type: "context-changed", what: "epochs" } };
      if (!(await log.commit({ events: [event], writes: [write] })).ok)
        throw new ApiError("busy", "The compaction could not be undone. Try again in a moment.");
      return toCompactionView({ ...row, undone: 1 });
    },
  };
}

/** An id of another thread gets the same error as an unknown id. */
function ofThread<T extends { readonly thread: string }>(row: T | undefined, threadId: string): T {
  if (row?.thread === threadId) return row;
  throw new ApiError("not-found", "Not found.");
}

const toCompactionView = (row: RowOf<"epochs">): CompactionView => ({
  id: row.id,
  depth: row.depth,
  messageId: row.message,
  reason: row.reason as CompactionView["reason"],
  tokensBefore: row.tokens_before,
  tokensAfter: row.tokens_after,
  head: row.head,
  undone: row.undone === 1,
  createdAt: row.created_at,
});
