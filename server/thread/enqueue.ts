import { limits } from "../../protocol/api.ts";
import type { Sources } from "../../protocol/context/untrusted.ts";
import { ApiError } from "../../protocol/errors.ts";
import { threadStream } from "../../protocol/ids.ts";
import type { Principal } from "../auth/principal.ts";
import type { Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { AcceptedInput, Admission, AdmitOptions } from "./admission.ts";
import { planSending } from "./attachments/plan-sending.ts";
import type { planClearDraft } from "./drafts.ts";
import { toQueuedFiles, type InputBody } from "./rows.ts";
import { assertLength, readLongestMessage } from "./longest-message.ts";
import { findAuthor } from "./shared.ts";

type Reads = AdmitOptions["store"]["read"];

type MessageInput = {
  readonly id: string;
  readonly kind: "message" | "edit" | "regenerate";
  readonly mode?: "queue" | "steer";
  readonly body: InputBody;
  readonly untrusted?: Sources;
  readonly draft?: Awaited<ReturnType<typeof planClearDraft>>;
  readonly files?: readonly Write[];
  readonly writes?: readonly Write[];
  readonly maxCharacters?: number;
};

/** Adds a message, an edit or a regeneration to the queue of its thread. */
export function createEnqueue({ store: { read }, clock }: AdmitOptions, admit: Admission) {
  return async (principal: Principal, thread: RowOf<"threads">, input: MessageInput): Promise<AcceptedInput> => {
    const { id, kind, mode = "queue", body, untrusted, draft, files = [], writes = [] } = input;
    const author = await findAuthor(read, principal, thread);
    const from = author ? { author } : {};
    const queued = { id, kind, mode, text: body.text, ...toQueuedFiles(kind, body), createdAt: clock.now(), ...from };
    return admit(principal, thread, {
      id,
      kind,
      mode,
      state: "queued",
      body,
      ...(untrusted ? { untrusted } : {}),
      events: [
        { stream: threadStream(thread.id), event: { type: "input-queued", input: queued } },
        ...(draft?.events ?? []),
      ],
      writes: [
        ...(kind === "message" ? [] : [requestStop(thread.id)]),
        ...(draft?.toWrites(1) ?? []),
        ...files,
        ...writes,
      ],
      check: () => checkMessage(read, { thread, id, body, maxCharacters: input.maxCharacters }),
    });
  };
}

type SentFiles = {
  readonly owner: string;
  readonly thread: RowOf<"threads">;
  readonly inputId: string;
  readonly ids: readonly string[];
};

/** Skips the files when this input was admitted in the meantime. */
export async function planFiles(read: Reads, { owner, thread, inputId, ids }: SentFiles) {
  try {
    return await planSending(read, { owner, threadId: thread.id, ids });
  } catch (error) {
    if (await read.input(thread.id, inputId)) return [];
    throw error;
  }
}

export async function checkRole(
  read: Reads,
  thread: RowOf<"threads">,
  id: string,
  role: "user" | "assistant",
): Promise<RowOf<"messages">> {
  const message = await read.message(thread.id, id);
  if (!message) throw new ApiError("not-found", "Not found.");
  if (message.role === role) return message;
  throw new ApiError(
    "invalid",
    role === "user" ? "Only your own messages can be edited." : "Only answers can be regenerated.",
  );
}

type MessageToCheck = {
  readonly thread: RowOf<"threads">;
  readonly id: string;
  readonly body: InputBody;
  readonly maxCharacters: number | undefined;
};

async function checkMessage(read: Reads, { thread, id, body, maxCharacters }: MessageToCheck): Promise<void> {
  // A shared thread uses only built-in profiles.
  const most = maxCharacters ?? (await readLongestMessage(read, thread.owner, thread.profile));
  assertLength(body.text, most);
  if (await read.message(thread.id, id)) {
    throw new ApiError("conflict", "This id belongs to another message. Use a new id.");
  }
  if ((await read.queued(thread.id)).length >= limits.queuedInputs) {
    throw new ApiError(
      "busy",
      `${limits.queuedInputs} messages are already queued. Wait for an answer, or withdraw a queued message.`,
    );
  }
}

const requestStop = (threadId: string): Write => ({
  do: "update",
  table: "runs",
  set: { stop: 1 },
  where: { thread: threadId, ended: 0 },
});
