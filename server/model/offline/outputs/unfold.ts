import type { ModelRequest, PromptMessage } from "../../../../protocol/model.ts";
import type { Spoken } from "./evidence.ts";
import { toSentences } from "../sentences.ts";

/** A request with what was told between the messages taken apart. */
export type Unfolded = {
  /** Instructions, then what is remembered of the person as it holds now; messages without the blocks. */
  readonly request: ModelRequest;
  /** Passages and summaries from earlier in the conversation. */
  readonly told: readonly Spoken[];
};

const blockForm = /^<(?:context|now)\b/;
const memoryForm = /What is remembered about the person:[^\n]{0,80}\n((?:[a-z]+: .*(?:\n|$))+)/g;
const passageForm = /^m(\d{1,9})(?:-(\d{1,9}))?(?: (person|assistant|tool))?: /m;

const passageStart = new RegExp(`(?=${passageForm.source})`, "gm");

/** What the run tells ahead of the person's words, and for what it left out, is read as such and not as their words. */
export function unfold(request: ModelRequest): Unfolded {
  const blocks = request.messages.flatMap((message) => (isBlock(message) ? [message.text] : []));
  if (blocks.length === 0) return { request, told: [] };
  const memory = new Map<string, string>();
  for (const [, lines = ""] of blocks.flatMap((text) => [...text.matchAll(memoryForm)])) {
    for (const line of lines.trimEnd().split("\n")) {
      const at = line.indexOf(": ");
      memory.set(line.slice(0, at), line.slice(at + 2));
    }
  }
  const held = [...memory].filter(([, value]) => value.startsWith('"')).map(([field, value]) => `${field}: ${value}`);
  const remembered = held.length ? `\n\nWhat is remembered about the person:\n${held.join("\n")}` : "";
  return {
    request: {
      ...request,
      system: request.system + remembered,
      messages: request.messages.filter((message) => !isBlock(message)),
    },
    told: blocks.flatMap(readPassages),
  };
}

const isBlock = (message: PromptMessage): message is Extract<PromptMessage, { role: "user" }> =>
  message.role === "user" && blockForm.test(message.text);

/** Each passage with the number of the message that it stands in. */
function readPassages(block: string): readonly Spoken[] {
  const body = block.replaceAll(/^(?:<\/?(?:context|now|recall|update)\b.*|\[[^[\]\n]+\]|## .*)$/gm, "\n");
  const pieces = body.split(passageStart);
  return pieces.flatMap((piece): Spoken[] => {
    const found = passageForm.exec(piece);
    if (!found || found.index !== 0) return [];
    const [whole, from = "", to, role] = found;
    const text = piece.slice(whole.length).split(/\n[^\S\n]{0,80}\n|<\//, 1)[0] ?? "";
    const place = to === undefined ? `message ${from}` : `messages ${from} to ${to}`;
    const who = role === "person" ? "you said" : role === "assistant" ? "I said" : "it was said";
    return [{ speaker: `In ${place} ${who}`, sentences: toSentences(text) }];
  });
}
