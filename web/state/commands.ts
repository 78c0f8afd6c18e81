import type { BodyInput } from "../../protocol/api.ts";
import { ApiError, type Client } from "../../protocol/client.ts";
import { createId } from "../lib/ids.ts";
import { errors } from "../strings/errors.ts";

/** Actions on a thread besides sending. Each is one request under a new id; a failure is reported, not thrown. */
export type Commands = ReturnType<typeof createCommands>;

type ThreadPatch = Omit<BodyInput<"changeThread">, "id">;
type Options = { readonly client: Client; readonly say: (text: string) => void; readonly onSignedOut: () => void };

export function createCommands({ client, say, onSignedOut }: Options) {
  const attempt = async (what: string, run: (id: string) => Promise<unknown>): Promise<boolean> => {
    try {
      await run(createId());
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) onSignedOut();
      else say(`${what} did not work: ${error instanceof ApiError ? error.message : toLowerFirst(errors.unreachable)}`);
      return false;
    }
  };

  return {
    changeThread: (threadId: string, patch: ThreadPatch) =>
      attempt("The change", (id) => client.changeThread({ params: { threadId }, body: { ...patch, id } })),
    /** `forget`: also delete memory that came from it. */
    deleteThread: (threadId: string, forget: boolean) =>
      attempt("Deleting", () =>
        client.deleteThread({ params: { threadId }, ...(forget ? { query: { forget: "true" as const } } : {}) }),
      ),
    stop: (threadId: string) => attempt("Stopping", (id) => client.stopRun({ params: { threadId }, body: { id } })),
    withdraw: (threadId: string, inputId: string) =>
      attempt("Taking it back", () => client.withdrawInput({ params: { threadId, inputId } })),
    /** `attachments`: replaces the files of the message. */
    edit: (threadId: string, messageId: string, text: string, attachments?: readonly string[]) =>
      attempt("The edit", (id) =>
        client.editMessage({
          params: { threadId, messageId },
          body: { id, text, ...(attachments === undefined ? {} : { attachments: [...attachments] }) },
        }),
      ),
    /** `model`: overrides the thread's model, and becomes it. */
    regenerate: (threadId: string, messageId: string, model?: string) =>
      attempt("Asking again", (id) =>
        client.regenerateMessage({ params: { threadId, messageId }, body: { id, ...(model ? { model } : {}) } }),
      ),
    activate: (threadId: string, messageId: string) =>
      attempt("Switching", (id) => client.activateMessage({ params: { threadId, messageId }, body: { id } })),
  };
}

const toLowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
