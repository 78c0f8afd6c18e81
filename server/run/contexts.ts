import type { Body } from "../../protocol/api.ts";
import type { RequestBlock } from "../../protocol/context/context-api.ts";
import type { ContextView, CompactionView, PinView } from "../../protocol/context/context.ts";
import type { CallOutcome, ReceiptLine } from "../../protocol/context/context-api.ts";
import type { Receipt } from "../../protocol/context/receipt.ts";
import { ApiError } from "../../protocol/errors.ts";
import { threadStream } from "../../protocol/ids.ts";
import { untrustedIn, writeSources } from "../../protocol/context/untrusted.ts";
import type { Usage } from "../../protocol/run.ts";
import { explainCache } from "../cost/cost.ts";
import type { LogEntry } from "../log/log.ts";
import { toThreadOptions, type Reads, type Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { readSendable } from "../thread/attachments/attachments.ts";
import { toPart, type InputBody } from "../thread/rows.ts";
import { planDelivery } from "./deliver.ts";
import { readRequest, toShownTools } from "./read-request.ts";
import { loadProfile } from "./own-profiles.ts";
import { openCatalog } from "./open-catalog.ts";
import type { RunDeps } from "./running.ts";
import { extend } from "./limits.ts";
import { prepare } from "./step/prepare.ts";
import { overlayReads } from "./overlay-reads.ts";
import { rebuild } from "../context/assemble.ts";
import { unknownPrices } from "../model/model.ts";
import { countTokens } from "../lib/tokens.ts";

/**
 * The context of a thread's prompts, for its owner: compactions, pins, receipts, rebuilt requests and previews. Changes are
 * committed here and take effect with the next model call.
 */
export type Contexts = ReturnType<typeof createContexts>;

type Views = Pick<ContextView, "summaries" | "state">;

type Options = {
  readonly deps: RunDeps;
  /** Summaries and agent state of the thread, from other modules. */
  readonly viewsOf: (thread: RowOf<"threads">) => Promise<Views>;
};

const MAX_COMPACTIONS = 50;

export function createContexts({ deps, viewsOf }: Options) {
  const { store, log, clock } = deps;
  const { read } = store;

  const commit = async (threadId: string, what: "epochs" | "pins", writes: readonly Write[]): Promise<boolean> => {
    const event: LogEntry = { stream: threadStream(threadId), event: { type: "context-changed", what } };
    return (await log.commit({ events: [event], writes })).ok;
  };

  const noteCache = ({ cache }: Receipt, before: Receipt | null | undefined, call: RowOf<"calls">): string | null =>
    explainCache({
      before: before?.cache ?? null,
      after: { shared: cache.shared, broke: cache.broke?.replace(/^epoch:/, "") ?? null },
      usage: JSON.parse(call.usage) as Usage,
      prices: deps.models.find(call.model)?.info.prices ?? unknownPrices,
    });

  return {
    view: async (thread: RowOf<"threads">): Promise<ContextView> => {
      const [epochs, pins, views] = await Promise.all([
        read.epochs(thread.id, MAX_COMPACTIONS),
        read.pins(thread.id),
        viewsOf(thread),
      ]);
      const policy = toThreadOptions(thread).policy ?? (await loadProfile(deps, thread.owner, thread.profile)).policy;
      return { policy, epochs: epochs.map(toCompactionView), pins: pins.map(toPin), ...views };
    },

    /** Newest first. With `before`: only older ones. */
    receipts: async (threadId: string, limit: number, before: RowOf<"receipts"> | null) => {
      const found = await read.receipts(threadId, limit + 1, before);
      const rows = found.slice(0, limit);
      const calls = await callsOf(read, threadId, rows);
      const receipts = rows.flatMap((row): ReceiptLine[] => {
        const receipt = toReceipt(row);
        if (!receipt) return [];
        const { policy, model, promptTokens, cache, epoch } = receipt;
        const call = calls.get(row.id);
        return [
          {
            id: row.id,
            createdAt: row.created_at,
            policy,
            model,
            promptTokens,
            shared: cache.shared,
            broke: cache.broke,
            opened: epoch.opened,
            call: call ? toOutcome(call) : null,
          },
        ];
      });
      return { receipts, nextBefore: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
    },

    receipt: async (row: RowOf<"receipts">) => {
      const [before] = await read.receipts(row.thread, 1, row);
      const call = (await callsOf(read, row.thread, [row])).get(row.id);
      const receipt = needReceipt(row);
      return {
        id: row.id,
        createdAt: row.created_at,
        receipt,
        call: call ? toOutcome(call) : null,
        previousId: before?.id ?? null,
        cacheNote: call ? noteCache(receipt, before && toReceipt(before), call) : null,
      };
    },

    request: (row: RowOf<"receipts">) => readRequest(read, row.thread, needReceipt(row)),

    preview: async (thread: RowOf<"threads">, { text, model, attachments = [] }: Body<"previewContext">) => {
      await readSendable(read, { owner: thread.owner, threadId: thread.id, ids: attachments });
      const said: InputBody = { text, model: model ?? null, target: null, attachments };
      const input: RowOf<"inputs"> = {
        thread: thread.id,
        id: deps.ids.next(),
        kind: "message",
        mode: "queue",
        hash: "",
        body: JSON.stringify(said),
        state: "queued",
        seq: 0,
        created_at: clock.now(),
      };
      const { state, toBatch } = await planDelivery(deps, thread, input);
      const planned = overlayReads(read, toBatch(state));
      if (!planned) throw new Error("A message at the end of a thread must not fork a branch.");
      const profile = await loadProfile(deps, thread.owner, thread.profile);
      const { snapshot, assembled } = await prepare(
        {
          ...deps,
          store: { ...store, read: planned },
          catalog: await openCatalog(deps, thread.owner, thread.temporary === 1),
          profile,
          limits: extend(profile.limits, 0),
        },
        state,
        deps.models.find(state.model),
        null,
      );
      const { id, depth, part: n } = snapshot.answer;
      const { tokens: _, ...told } = assembled.update ?? { tokens: 0, text: "" };
      const messages = new Map(snapshot.messages.map((message) => [message.id, message]));
      const answer = messages.get(id);
      if (answer) {
        const context = { id: `${id}.${n}`, v: 1, n, step: 1, kind: "context", ...told } as const;
        messages.set(id, { ...answer, depth, parts: [...answer.parts, context] });
      }
      const { system, tools } = snapshot;
      const summaryHead = assembled.compaction?.summaryHead ?? snapshot.compaction?.summaryHead;
      const stored = { system, tools, summaryHead, message: (key: string) => messages.get(key) };
      const { blocks } = rebuild(assembled.receipt, stored, countTokens);
      return {
        receipt: assembled.receipt,
        system,
        tools: toShownTools(tools),
        blocks: [...blocks] as RequestBlock[],
      };
    },

    undoEpoch: async (threadId: string, epochId: string): Promise<CompactionView> => {
      const row = ofThread(await read.epoch(epochId), threadId);
      if (row.undone === 1) return toCompactionView(row);
      const write: Write = {
        do: "update",
        table: "epochs",
        set: { undone: 1 },
        where: { id: epochId },
        expectOne: true,
      };
      if (!(await commit(threadId, "epochs", [write]))) throw new ApiError("busy", "Try again in a moment.");
      return toCompactionView({ ...row, undone: 1 });
    },

    addPin: async (threadId: string, { id, text, messageId }: NewPin): Promise<PinView> => {
      // A pin of a message keeps that message's untrusted sources.
      const parts = messageId === undefined ? [] : (await read.partsOf(threadId, [messageId])).map(toPart);
      const row = {
        id: `${threadId}/${id}`,
        thread: threadId,
        message: messageId ?? null,
        text,
        untrusted: writeSources(untrustedIn(parts)),
        created_at: clock.now(),
      };
      const known = (await read.pins(threadId)).find((pin) => pin.id === row.id);
      if (known && known.text === text) return toPin(known);
      if (known) throw new ApiError("conflict", PIN_ID_USED);
      if ((await read.pins(threadId)).length >= MAX_PINS) {
        throw new ApiError("invalid", `A thread can have at most ${MAX_PINS} pins. Remove one first.`);
      }
      if (!(await commit(threadId, "pins", [{ do: "insert", table: "pins", row }]))) {
        throw new ApiError("conflict", PIN_ID_USED);
      }
      return toPin(row);
    },

    removePin: async (threadId: string, pinId: string): Promise<{ id: string }> => {
      const row = (await read.pins(threadId)).find(({ id }) => id === `${threadId}/${pinId}`);
      if (!row) throw new ApiError("not-found", "Not found.");
      await commit(threadId, "pins", [{ do: "delete", table: "pins", where: { id: row.id } }]);
      return { id: pinId };
    },
  };
}

const MAX_PINS = 30;
const PIN_ID_USED = "Another pin has this id. Choose another id.";

type NewPin = { readonly id: string; readonly text: string; readonly messageId?: string | undefined };

/** An id of another thread gets the same error as an unknown id. */
function ofThread<T extends { readonly thread: string }>(row: T | undefined, threadId: string): T {
  if (row?.thread === threadId) return row;
  throw new ApiError("not-found", "Not found.");
}

const toReceipt = ({ v, body }: RowOf<"receipts">): Receipt | null => (v === 2 ? (JSON.parse(body) as Receipt) : null);

function needReceipt(row: RowOf<"receipts">): Receipt {
  const receipt = toReceipt(row);
  if (receipt) return receipt;
  throw new ApiError(
    "not-found",
    "This receipt was written by an earlier Stonechat in a format that is no longer supported.",
  );
}

async function callsOf(reads: Reads, threadId: string, rows: readonly RowOf<"receipts">[]) {
  const calls = await reads.callsOfReceipts(
    threadId,
    rows.map(({ id }) => id),
  );
  return new Map(calls.flatMap((call) => (call.receipt === null ? [] : [[call.receipt, call] as const])));
}

const toOutcome = (row: RowOf<"calls">): CallOutcome => ({
  id: row.id,
  purpose: row.purpose,
  runId: row.run,
  step: row.step,
  attempt: row.attempt,
  model: row.model,
  outcome: row.outcome,
  usage: JSON.parse(row.usage) as Usage,
  costUsd: row.cost_usd,
});

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

/** Pin ids come from the client and are unique only within the thread. */
const toPin = ({ id, thread, text, message, created_at: createdAt }: RowOf<"pins">): PinView => ({
  id: id.slice(thread.length + 1),
  text,
  messageId: message,
  createdAt,
});
