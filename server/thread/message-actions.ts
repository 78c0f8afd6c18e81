import type { Body } from "../../protocol/api.ts";
import { joinSources, type Sources } from "../../protocol/context/untrusted.ts";
import { ApiError } from "../../protocol/errors.ts";
import { threadStream } from "../../protocol/ids.ts";
import type { Part } from "../../protocol/parts.ts";
import type { Principal } from "../auth/principal.ts";
import type { Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { AcceptedInput, Admission, AdmitOptions } from "./admission.ts";
import { createCallerMessages } from "./caller-messages.ts";
import { planClearDraft } from "./drafts.ts";
import { toInputBody, toPart, toQueuedFiles, type InputBody } from "./rows.ts";
import { checkModel } from "./create-thread.ts";
import { checkRole, createEnqueue, planFiles } from "./enqueue.ts";
import { toStoredRun, type StoredRun } from "./snapshot.ts";

type Reads = AdmitOptions["store"]["read"];

/** Removes a message from the queue. */
function createWithdrawal({ store: { read }, log, threads }: AdmitOptions) {
  return {
    withdraw: async (principal: Principal, threadId: string, inputId: string): Promise<AcceptedInput> => {
      const thread = await threads.get(principal, threadId, "change");
      const input = await read.input(threadId, inputId);
      if (!input) throw new ApiError("not-found", "Not found.");
      if (input.author !== null && input.author !== principal.userId) {
        throw new ApiError("forbidden", "Only the user who wrote a message can withdraw it.");
      }
      if (input.state === "withdrawn") return { id: inputId, seq: input.seq };
      const { attachments = [] } = toQueuedFiles(input.kind, toInputBody(input));
      const isLast = (await read.queued(threadId)).length <= 1 && !(await read.liveRun(threadId));
      const result = await log.commit({
        events: [{ stream: threadStream(threadId), event: { type: "input-withdrawn", inputId } }],
        writes: [
          {
            do: "update",
            table: "inputs",
            set: { state: "withdrawn" },
            where: { thread: thread.id, id: inputId, state: "queued" },
            expectOne: true,
          },
          // `claimTip` has set it, and no run will end.
          ...(isLast ? [resetStatus(threadId)] : []),
          // Its files become unsent again.
          ...attachments.map((id): Write => ({
            do: "update",
            table: "attachments",
            set: { sent: 0 },
            where: { owner: input.author ?? thread.owner, id, thread: thread.id },
          })),
        ],
      });
      if (result.ok) return { id: inputId, seq: result.seqs[0] ?? 0 };
      const now = await read.input(threadId, inputId);
      if (now?.state === "withdrawn") return { id: inputId, seq: now.seq };
      throw new ApiError("conflict", "This message is no longer queued: its answer has started.");
    },
  };
}

/** Send, edit, regenerate and withdraw: actions that add an input to the queue or remove one. */
export function createMessageActions(options: AdmitOptions, admit: Admission) {
  const { store, threads, clock } = options;
  const { read } = store;
  const enqueue = createEnqueue(options, admit);

  /** Skips the files when this input was admitted before: then they belong to the thread already. */
  const attach = async ({ userId }: Principal, thread: RowOf<"threads">, inputId: string, ids: readonly string[]) => {
    if (ids.length === 0) return (body: InputBody) => ({ body });
    const isKnown = (await read.input(thread.id, inputId)) !== undefined;
    const files = isKnown ? [] : await planFiles(read, { owner: userId, thread, inputId, ids });
    return (body: InputBody) => ({ body: { ...body, attachments: ids }, files });
  };

  return {
    ...createCallerMessages(options, admit),
    ...createWithdrawal(options),

    send: async (principal: Principal, threadId: string, body: Body<"sendMessage">): Promise<AcceptedInput> => {
      const { id, mode, text, model = null, draft: draftOf = "thread", attachments = [] } = body;
      const draftKey = {
        owner: principal.userId,
        threadId: draftOf === "first" ? null : threadId,
        text,
        now: clock.now(),
      };
      const [thread, draft] = await Promise.all([
        threads.get(principal, threadId, "change"),
        planClearDraft(read, draftKey),
      ]);
      await checkModel(options, principal, body.model);
      checkNotEmpty(text, attachments);
      const attached = await attach(principal, thread, id, attachments);
      const writes = mode === "steer" ? await planInterruption(read, thread) : [];
      const untrusted = listVia(principal);
      const content = attached({ text, model, target: null });
      return enqueue(principal, thread, { id, kind: "message", mode, untrusted, draft, writes, ...content });
    },

    edit: async (principal: Principal, threadId: string, messageId: string, body: Body<"editMessage">) => {
      const thread = await threads.get(principal, threadId, "change");
      await checkModel(options, principal, body.model);
      const edit = await checkRole(read, thread, messageId, "user");
      if (edit.author !== null && edit.author !== principal.userId) {
        throw new ApiError(
          "forbidden",
          "Only the user who wrote a message can edit it. Send your own message instead.",
        );
      }
      const { id, text, model = null } = body;
      const edited = (await read.partsOf(threadId, [messageId])).map(toPart);
      const attachments = body.attachments ?? listAttached(edited);
      // Much of the text may be unchanged.
      const untrusted = joinSources(
        listVia(principal),
        ...edited.map((part) => (part.kind === "text" ? part.untrusted : [])),
      );
      checkNotEmpty(text, attachments);
      const attached = await attach(principal, thread, id, attachments);
      return enqueue(principal, thread, {
        id,
        kind: "edit",
        untrusted,
        ...attached({ text, model, target: messageId }),
      });
    },

    regenerate: async (principal: Principal, threadId: string, messageId: string, body: Body<"regenerateMessage">) => {
      const thread = await threads.get(principal, threadId, "change");
      await checkModel(options, principal, body.model);
      await checkRole(read, thread, messageId, "assistant");
      const { id, model = null } = body;
      return enqueue(principal, thread, { id, kind: "regenerate", body: { text: "", model, target: messageId } });
    },
  };
}

const listVia = ({ via }: Principal): Sources => (via === undefined ? [] : [via]);

const listAttached = (parts: readonly Part[]): readonly string[] =>
  parts.flatMap((part) => (part.kind === "file" && part.attachmentId !== undefined ? [part.attachmentId] : []));

function checkNotEmpty(text: string, attachments: readonly string[]): void {
  if (text === "" && attachments.length === 0) throw new ApiError("invalid", "A message needs text or a file.");
}

/**
 * A message that steers an answer stops a model call, whose text so far is kept, and is answered next. Tool calls are not
 * stopped, because they may have effects: the message is delivered when they have ended.
 */
async function planInterruption(read: Reads, thread: RowOf<"threads">): Promise<Write[]> {
  const row = await read.liveRun(thread.id);
  const run = row && toStoredRun<StoredRun & { readonly branchId: string }>(row);
  if (!run || run.view.state !== "running" || run.branchId !== thread.branch || run.at.kind === "tools") return [];
  return [{ do: "update", table: "runs", set: { stop: 1 }, where: { id: run.view.id, ended: 0 } }];
}

const resetStatus = (id: string): Write => ({
  do: "update",
  table: "threads",
  set: { status: "idle" },
  where: { id, status: "streaming" },
});
