import { randomUUID } from "node:crypto";
import type { Client } from "../../../protocol/client.ts";
import type { LogEvent } from "../../../protocol/events.ts";
import type { MessageView } from "../../../protocol/fold.ts";
import type { RunView } from "../../../protocol/run.ts";
import { followThread, type Follower } from "./event-stream.ts";

/** A thread with a client that sends to it and follows it over HTTP. */
export type ThreadClient = {
  readonly threadId: string;
  readonly follower: Follower;
  /** Sends a message, which is the script of the scripted model; returns its id once it is acknowledged. */
  readonly send: (text: string, mode?: "queue" | "steer") => Promise<string>;
  readonly stop: () => Promise<void>;
  /** Resolves when the run that answers this message has ended. */
  readonly answered: (messageId: string) => Promise<Answer>;
  readonly close: () => void;
};

export type Answer = { readonly run: RunView; readonly message: MessageView };

type Place = { readonly url: string | (() => string); readonly client: Client };

export async function openThreadClient({ url, client }: Place, threadId: string = randomUUID()): Promise<ThreadClient> {
  await client.createThread({ body: { id: threadId, model: "scripted/script" } });
  const ended = new Map<string, RunView>();
  const follower = followThread({
    url,
    threadId,
    onEvent: ({ body }) => {
      const event = JSON.parse(body) as LogEvent;
      if (event.type === "run-ended") ended.set(event.run.id, event.run);
    },
  });
  return {
    threadId,
    follower,
    send: async (text, mode = "queue") => {
      const id = randomUUID();
      await client.sendMessage({ params: { threadId }, body: { id, text, mode } });
      return id;
    },
    stop: async () => void (await client.stopRun({ params: { threadId }, body: { id: randomUUID() } })),
    answered: async (messageId) => {
      const { messages } = await follower.until(({ messages }) =>
        ended.has(findAnswer(messages, messageId)?.runId ?? ""),
      );
      const message = findAnswer(messages, messageId)!;
      return { run: ended.get(message.runId!)!, message };
    },
    close: follower.close,
  };
}

const findAnswer = (messages: readonly MessageView[], messageId: string): MessageView | undefined =>
  messages[messages.findIndex(({ id }) => id === messageId) + 1 || messages.length];
