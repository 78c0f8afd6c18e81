import type { BodyInput } from "../../protocol/api.ts";
import type { Answers } from "../../protocol/question.ts";
import { ResponseError, type Client } from "../../protocol/client.ts";
import { createId } from "../lib/ids.ts";
import { toErrorText } from "../lib/use-load.ts";
import { notices as strings } from "../strings/notices.ts";

/** Actions on a thread besides sending. Each is one request; a failure is reported, not thrown. */
export type Commands = ReturnType<typeof createCommands>;

type ThreadPatch = Omit<BodyInput<"changeThread">, "id">;
type Options = { readonly client: Client; readonly say: (text: string) => void; readonly onSignedOut: () => void };

export function createCommands({ client, say, onSignedOut }: Options) {
  const attempt = async (
    toMessage: (reason: string) => string,
    run: (id: string) => Promise<unknown>,
  ): Promise<boolean> => {
    try {
      await run(createId());
      return true;
    } catch (error) {
      if (error instanceof ResponseError && error.status === 401) onSignedOut();
      else say(toMessage(toErrorText(error)));
      return false;
    }
  };

  return {
    changeThread: (threadId: string, patch: ThreadPatch) =>
      attempt(strings.failed.change, (id) => client.changeThread({ params: { threadId }, body: { ...patch, id } })),
    /** `forget`: also delete memory that came from it. */
    deleteThread: (threadId: string, forget: boolean) =>
      attempt(strings.failed.delete, () =>
        client.deleteThread({ params: { threadId }, ...(forget ? { query: { forget: "true" as const } } : {}) }),
      ),
    stop: (threadId: string) =>
      attempt(strings.failed.stop, (id) => client.stopRun({ params: { threadId }, body: { id } })),
    answer: (threadId: string, partId: string, answers: Answers) =>
      attempt(strings.failed.answer, (id) =>
        client.answerQuestion({ params: { threadId }, body: { id, partId, answers: answers as never } }),
      ),
    withdraw: (threadId: string, inputId: string) =>
      attempt(strings.failed.withdraw, () => client.withdrawInput({ params: { threadId, inputId } })),
    /** `attachments`: replaces the files of the message. */
    edit: (threadId: string, messageId: string, text: string, attachments?: readonly string[]) =>
      attempt(strings.failed.edit, (id) =>
        client.editMessage({
          params: { threadId, messageId },
          body: { id, text, ...(attachments === undefined ? {} : { attachments: [...attachments] }) },
        }),
      ),
    /** `model`: overrides the thread's model, and becomes it. */
    regenerate: (threadId: string, messageId: string, model?: string) =>
      attempt(strings.failed.regenerate, (id) =>
        client.regenerateMessage({ params: { threadId, messageId }, body: { id, ...(model ? { model } : {}) } }),
      ),
    /** Copies the thread up to a message; returns the id of the new thread, or null if it failed. */
    fork: async (threadId: string, messageId: string, title: string): Promise<string | null> => {
      const id = createId();
      const body = { id, ...(title === "" ? {} : { title }) };
      const isDone = await attempt(strings.failed.fork, () =>
        client.forkThread({ params: { threadId, messageId }, body }),
      );
      return isDone ? id : null;
    },
    activate: (threadId: string, messageId: string) =>
      attempt(strings.failed.switch, (id) => client.activateMessage({ params: { threadId, messageId }, body: { id } })),
  };
}
