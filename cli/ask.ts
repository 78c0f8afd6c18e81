import { openThread, type ThreadChoice } from "./open-thread.ts";
import { UsageError } from "./connect.ts";
import { prepareMessage, sendMessage, type Conversation, type TurnEnd } from "./turn.ts";

type Options = ThreadChoice &
  Pick<Conversation, "client" | "output" | "terminal" | "interrupts"> & {
    readonly words: readonly string[];
    /** Text from a pipe, added to the question. */
    readonly piped: string;
    readonly file?: readonly string[] | undefined;
  };

const exitCodes: Readonly<Record<TurnEnd, number>> = { done: 0, failed: 1, limit: 3, waiting: 4, stopped: 130 };

/** Prints one answer and returns its exit code. */
export async function ask(options: Options): Promise<number> {
  const { words, piped, file: files = [], output } = options;
  const text = [words.join(" "), piped.trim()].filter(Boolean).join("\n\n");
  if (text === "" && files.length === 0) throw new UsageError("Write a question, or pipe one in.");
  const threadId = await openThread(options);
  output.record({ type: "thread", threadId });
  const body = await prepareMessage({ ...options, threadId }, { text, files, model: options.model });
  return exitCodes[await sendMessage({ ...options, threadId }, body)];
}
