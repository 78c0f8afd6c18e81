import { access } from "node:fs/promises";
import type { MessageView } from "../protocol/api-client.ts";
import { isActive, textOf } from "../protocol/fold.ts";
import { UsageError } from "./connect.ts";
import { openThread, type ThreadChoice } from "./open-thread.ts";
import type { Terminal } from "./terminal.ts";
import { followAnswer, prepareMessage, sendMessage, type Conversation, type MessageBody } from "./turn.ts";

type Options = ThreadChoice &
  Pick<Conversation, "client" | "output" | "interrupts"> & {
    readonly terminal: Terminal;
    readonly toText: (error: unknown) => string;
    readonly words: readonly string[];
    readonly file?: readonly string[] | undefined;
  };

const help = "/file PATH attaches a file to the next message, /exit leaves. Everything else is sent.";
const SHOWN_MESSAGES = 2;

/** Talks until the input ends. Returns the exit code. */
export async function chat(options: Options): Promise<number> {
  const { client, output, terminal, interrupts, words, toText } = options;
  if (words.length > 1) throw new UsageError("Give one thread id, or none for a new thread.");
  const threadId = await openThread({ ...options, thread: words[0] ?? options.thread });
  const conversation = { client, output, terminal, interrupts, threadId };
  output.record({ type: "thread", threadId });
  output.note(`Thread ${threadId}. ${help}`);
  await showEnd(conversation);

  let files = [...(options.file ?? [])];
  /** The last message, if an error ended its turn. The same message again is sent under the same id. */
  let failed: { readonly key: string; readonly body: MessageBody } | null = null;
  for (;;) {
    const leaving = Promise.withResolvers<null>();
    interrupts.handle(() => leaving.resolve(null));
    const line = await Promise.race([terminal.ask("> "), leaving.promise]);
    const text = line?.trim();
    if (text === undefined || text === "/exit" || text === "/quit") return 0;
    const path = text.startsWith("/file ") ? text.slice("/file ".length).trim() : undefined;
    if (path !== undefined) {
      const isThere = await access(path).then(
        () => true,
        () => false,
      );
      if (isThere) files.push(path);
      output.note(isThere ? `${path} is attached to the next message.` : `${path} cannot be read.`);
    } else if (text === "/help") output.note(help);
    else if (text !== "" || files.length > 0) {
      try {
        const key = JSON.stringify([text, files]);
        const message = { text, files, model: options.model };
        const body: MessageBody = failed?.key === key ? failed.body : await prepareMessage(conversation, message);
        failed = { key, body };
        await sendMessage(conversation, body);
        [files, failed] = [[], null];
      } catch (error) {
        // The message can be repeated, for example when the server is back.
        output.record({ type: "error", text: toText(error) });
        output.note(toText(error));
      }
    }
  }
}

/** The last messages of a thread that is continued, and the answer that is being written. */
async function showEnd(conversation: Conversation): Promise<void> {
  const { client, output, threadId } = conversation;
  const { messages, run } = await client.getThread({ params: { threadId }, query: { limit: SHOWN_MESSAGES } });
  for (const message of messages) {
    if (message.id !== run?.messageId || !isActive(run)) output.note(toLine(message));
  }
  if (run && isActive(run)) await followAnswer(conversation, { runId: run.id });
}

const toLine = ({ role, parts }: Pick<MessageView, "role" | "parts">): string =>
  `${role === "user" ? "> " : ""}${textOf(parts)}`;
