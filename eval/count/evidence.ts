import type { PromptMessage } from "../../protocol/model.ts";
import type { SentPrompt } from "../contestant.ts";

/** Everything in a request that a model can read, as plain text. */
export const toText = (sent: Pick<SentPrompt, "system" | "messages">): string =>
  [sent.system, ...sent.messages.map(toMessageText)].join("\n");

const texts = new WeakMap<PromptMessage, string>();

function toMessageText(message: PromptMessage): string {
  let text = texts.get(message);
  if (text === undefined) texts.set(message, (text = readMessage(message)));
  return text;
}

function readMessage(message: PromptMessage): string {
  if (message.role === "user") return message.text;
  if (message.role === "tool") return message.results.map(({ text }) => text).join("\n");
  return message.parts.map((part) => (part.kind === "tool-call" ? JSON.stringify(part.input) : part.text)).join("\n");
}

/** Whether some, and whether all, of these texts are in a request. */
export function findEvidence(
  text: string,
  wanted: readonly string[],
): { readonly any: boolean; readonly all: boolean } {
  const found = wanted.map((one) => text.includes(one));
  return { any: found.includes(true), all: !found.includes(false) };
}
