import { limits, maxMessageCharacters, type Body } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import { threadStream } from "../../protocol/ids.ts";
import type { Principal } from "../auth/principal.ts";
import type { Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { AcceptedInput, Admission, AdmitOptions } from "./admission.ts";
import { planSending } from "./attachments/plan-sending.ts";
import { planClearDraft } from "./drafts.ts";
import { toInputBody, toPart, toQueuedFiles, type InputBody } from "./rows.ts";
import { checkModel } from "./create-thread.ts";

type Reads = AdmitOptions["store"]["read"];

type MessageInput = {
  readonly id: string;
  readonly kind: "message" | "edit" | "regenerate";
  readonly mode?: "queue" | "steer";
  readonly body: InputBody;
  readonly draft?: Awaited<ReturnType<typeof planClearDraft>>;
  readonly files?: readonly Write[];
};

/** Send, edit, regenerate and withdraw: actions that add an input to the queue or remove one. */
export function createMessageActions({ store, log, threads, models, clock }: AdmitOptions, admit: Admission) {
  const { read } = store;

  const enqueue = async (thread: RowOf<"threads">, input: MessageInput): Promise<AcceptedInput> => {
    const { id, kind, mode = "queue", body, draft, files = [] } = input;
    const queued = { id, kind, mode, text: body.text, ...toQueuedFiles(kind, body), createdAt: clock.now() };
    return admit(thread, {
      id,
      kind,
      mode,
      state: "queued",
      body,
      events: [
        { stream: threadStream(thread.id), event: { type: "input-queued", input: queued } },
        ...(draft?.events ?? []),
      ],
      writes: [...(kind === "message" ? [] : [requestStop(thread.id)]), ...(draft?.toWrites(1) ?? []), ...files],
      check: () => checkMessage(read, thread, id, body),
    });
  };

  /** Skips the files when this input was admitted before: then they belong to the thread already. */
  const attach = async (thread: RowOf<"threads">, inputId: string, ids: readonly string[]) => {
    if (ids.length === 0) return (body: InputBody) => ({ body });
    const isKnown = (await read.input(thread.id, inputId)) !== undefined;
    const files = isKnown ? [] : await planFiles(read, thread, inputId, ids);
    return (body: InputBody) => ({ body: { ...body, attachments: ids }, files });
  };

  return {
    send: async (principal: Principal, threadId: string, body: Body<"sendMessage">): Promise<AcceptedInput> => {
      const { id, mode, text, model = null, draft: draftOf = "thread", attachments = [] } = body;
      const place = {
        owner: principal.userId,
        threadId: draftOf === "first" ? null : threadId,
        text,
        now: clock.now(),
      };
      const [thread, draft] = await Promise.all([threads.get(principal, threadId), planClearDraft(read, place)]);
      checkModel(models, body.model);
      checkNotEmpty(text, attachments);
      const attached = await attach(thread, id, attachments);
      return enqueue(thread, { id, kind: "message", mode, draft, ...attached({ text, model, target: null }) });
    },

    edit: async (principal: Principal, threadId: string, messageId: string, body: Body<"editMessage">) => {
      const thread = await threads.get(principal, threadId);
      checkModel(models, body.model);
      await checkRole(read, thread, messageId, "user");
      const { id, text, model = null } = body;
      const attachments = body.attachments ?? (await listAttached(read, threadId, messageId));
      checkNotEmpty(text, attachments);
      const attached = await attach(thread, id, attachments);
      return enqueue(thread, { id, kind: "edit", ...attached({ text, model, target: messageId }) });
    },

    regenerate: async (principal: Principal, threadId: string, messageId: string, body: Body<"regenerateMessage">) => {
      const thread = await threads.get(principal, threadId);
      checkModel(models, body.model);
      await checkRole(read, thread, messageId, "assistant");
      const { id, model = null } = body;
      return enqueue(thread, { id, kind: "regenerate", body: { text: "", model, target: messageId } });
    },

    withdraw: async (principal: Principal, threadId: string, inputId: string): Promise<AcceptedInput> => {
      const thread = await threads.get(principal, threadId);
      const input = await read.input(threadId, inputId);
      if (!input) throw new ApiError("not-found", "Not found.");
      if (input.state === "withdrawn") return { id: inputId, seq: input.seq };
      const { attachments = [] } = toQueuedFiles(input.kind, toInputBody(input));
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
          // Its files become unsent again.
          ...attachments.map((id): Write => ({
            do: "update",
            table: "attachments",
            set: { sent: 0 },
            where: { owner: thread.owner, id, thread: thread.id },
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

async function planFiles(read: Reads, thread: RowOf<"threads">, inputId: string, ids: readonly string[]) {
  try {
    return await planSending(read, { owner: thread.owner, threadId: thread.id, ids });
  } catch (error) {
    if (await read.input(thread.id, inputId)) return [];
    throw error;
  }
}

const listAttached = async (read: Reads, threadId: string, messageId: string): Promise<readonly string[]> =>
  (await read.partsOf(threadId, [messageId]))
    .map(toPart)
    .flatMap((part) => (part.kind === "file" && part.attachmentId !== undefined ? [part.attachmentId] : []));

async function checkMessage(read: Reads, thread: RowOf<"threads">, id: string, body: InputBody): Promise<void> {
  const most = maxMessageCharacters(thread.profile);
  if (body.text.length > most) {
    const text = `A message in this thread may have at most ${most.toLocaleString("en")} characters. This one has ${body.text.length.toLocaleString("en")}.`;
    throw new ApiError("too-large", text);
  }
  if (await read.message(thread.id, id)) {
    throw new ApiError("conflict", "This id belongs to another message. Use a new id.");
  }
  if ((await read.queued(thread.id)).length >= limits.queuedInputs) {
    throw new ApiError(
      "busy",
      `${limits.queuedInputs} messages are already queued. Wait for an answer or withdraw one first.`,
    );
  }
}

async function checkRole(read: Reads, thread: RowOf<"threads">, id: string, role: "user" | "assistant"): Promise<void> {
  const message = await read.message(thread.id, id);
  if (!message) throw new ApiError("not-found", "Not found.");
  if (message.role === role) return;
  throw new ApiError(
    "invalid",
    role === "user" ? "Only your own messages can be edited." : "Only answers can be regenerated.",
  );
}

function checkNotEmpty(text: string, attachments: readonly string[]): void {
  if (text === "" && attachments.length === 0) throw new ApiError("invalid", "A message needs text or a file.");
}

const requestStop = (threadId: string): Write => ({
  do: "update",
  table: "runs",
  set: { stop: 1 },
  where: { thread: threadId, ended: 0 },
});
