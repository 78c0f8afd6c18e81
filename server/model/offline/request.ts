import type { ModelRequest, PromptMessage } from "../../../protocol/model.ts";
import { toSentences, type Source } from "./passages.ts";
import { readJson, toFields, type FinishedCall, type Input } from "./tool-results.ts";

/** The state of the current answer as far as the request shows it; older steps may be missing. */
export type Turn = {
  readonly question: string;
  readonly earlier: readonly PromptMessage[];
  readonly steps: number;
  /** Oldest first. */
  readonly calls: readonly FinishedCall[];
  /** Text of this answer so far. */
  readonly said: string;
  readonly callsLeft: number;
  /** Passages and summaries of earlier messages that the server put into the prompt. */
  readonly recalled: readonly Source[];
  /** The user's working memory, by field. */
  readonly memory: ReadonlyMap<string, string>;
  /** The time that the prompt states. */
  readonly now: number | undefined;
  /** Names of the images attached to the question. */
  readonly images: readonly string[];
};

/** Texts that the server puts into prompts. They must match `context/` and `run/`; older threads have older wordings stored. */
const contextBlock = /^<(?:context|now)\b/;
const memoryBlock = /(?:What is r|R)emembered about the (?:person|user):[^\n]{0,80}\n((?:[a-z]+: .*(?:\n|$))+)/g;
const recalledLine = /^m(\d{1,9})(?:-(\d{1,9}))?(?: (person|user|assistant|tool))?: /m;
const recalledStart = new RegExp(`(?=${recalledLine.source})`, "gm");
const limitNote =
  /^\[(?:The limit of this answer|Left for this answer|The user extended the limit of this answer)[^]*\]$/;
const attachedImage = "[The user attached a picture: ";
const currentTime = /(\d{1,2}) (\p{L}+) (\d{4}), (\d{2}):(\d{2})\b/gu;

/** Longer questions are cut: some patterns take quadratic time. */
const REQUEST_CHARACTERS = 2000;

/** Undefined if the request has no user message. */
export const readTurn = ({ system, messages: all, toolChoice }: ModelRequest): Turn | undefined => {
  const messages = all.filter((message) => !contextBlock.test(textOfUser(message)));
  const blocks = all.map(textOfUser).filter((text) => contextBlock.test(text));
  const isNote = (message: PromptMessage): boolean => limitNote.test(textOfUser(message).trim());
  const at = messages.findLastIndex((message) => message.role === "user" && !isNote(message));
  const question = messages[at];
  if (question?.role !== "user") return undefined;
  const since = messages.slice(at + 1);
  const answers = since.filter((message) => message.role === "assistant");
  const note = since.filter(isNote).map(textOfUser).join(" ");
  return {
    question: question.text.slice(0, REQUEST_CHARACTERS).toWellFormed(),
    earlier: messages.slice(0, at),
    steps: answers.length,
    calls: listCalls(since),
    said: answers.map(textOfAssistant).join("\n"),
    callsLeft: toolChoice === "none" ? 0 : readCallsLeft(note, answers.length > 0),
    recalled: blocks.flatMap(readRecalled),
    memory: readMemory([system, ...blocks]),
    now: readNow(blocks),
    images: listImages(all),
  };
};

const textOfUser = (message: PromptMessage): string => (message.role === "user" ? message.text : "");

export const textOfAssistant = (message: PromptMessage): string =>
  message.role === "assistant" ? message.parts.map((part) => (part.kind === "text" ? part.text : "")).join("\n") : "";

const listCalls = (since: readonly PromptMessage[]): readonly FinishedCall[] => {
  const parts = since.flatMap((message) => (message.role === "assistant" ? message.parts : []));
  const inputs = new Map(
    parts.flatMap((part) => (part.kind === "tool-call" ? [[part.callId, toInput(part.input)] as const] : [])),
  );
  const results = since.flatMap((message) => (message.role === "tool" ? message.results : []));
  return results.map(({ callId, name, text, failed }) => {
    const input = inputs.get(callId) ?? {};
    return name === "use_tool" && typeof input["name"] === "string"
      ? { name: input["name"], input: toInput(input["input"]), text, failed }
      : { name, input, text, failed };
  });
};

const toInput = (value: unknown): Input => toFields(value) ?? {};

/** Calls in the last step, or with little time, would leave no step to report their results. */
const readCallsLeft = (note: string, hasSteps: boolean): number => {
  if (/limit of this answer is reached/.test(note)) return 0;
  if (hasSteps && /\b[01] more step|few tokens|little time/.test(note)) return 0;
  const calls = /(\d{1,9}) more tool call/.exec(note)?.[1];
  return calls === undefined ? Infinity : Number(calls);
};

/** Later blocks replace earlier ones; a value that is no JSON text means that the field was removed. */
const readMemory = (texts: readonly string[]): ReadonlyMap<string, string> => {
  const memory = new Map<string, string>();
  for (const [, block = ""] of texts.flatMap((text) => [...text.matchAll(memoryBlock)])) {
    for (const line of block.trimEnd().split("\n")) {
      const at = line.indexOf(": ");
      const [field, value] = [line.slice(0, at), line.slice(at + 2)];
      const text = readJson(value);
      if (typeof text === "string") memory.set(field, text);
      else memory.delete(field);
    }
  }
  return memory;
};

/** One source for each passage, labeled with the numbers of its messages. */
const readRecalled = (block: string): readonly Source[] => {
  const body = block.replaceAll(/^(?:<\/?(?:context|now|recall|update)\b.*|\[[^[\]\n]+\]|## .*)$/gm, "\n");
  return body.split(recalledStart).flatMap((piece): Source[] => {
    const found = recalledLine.exec(piece);
    if (!found || found.index !== 0) return [];
    const [whole, from = "", to, role] = found;
    const text = piece.slice(whole.length).split(/\n[^\S\n]{0,80}\n|<\//, 1)[0] ?? "";
    const place = to === undefined ? `message ${from}` : `messages ${from} to ${to}`;
    const who = role === "assistant" ? "I said" : role === undefined || role === "tool" ? "it was said" : "you said";
    return [{ label: `In ${place} ${who}`, sentences: toSentences(text) }];
  });
};

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** The newest time in the `<now>` blocks. */
export const readNow = (texts: readonly string[]): number | undefined => {
  const [, day = "", name = "", year = "", hours = "", minutes = ""] =
    texts.flatMap((text) => (text.startsWith("<now>") ? [...text.matchAll(currentTime)] : [])).at(-1) ?? [];
  const month = months.indexOf(name.slice(0, 3).toLowerCase());
  return month < 0 ? undefined : Date.UTC(Number(year), month, Number(day), Number(hours), Number(minutes));
};

const listImages = (messages: readonly PromptMessage[]): readonly string[] => {
  const since = messages.slice(messages.findLastIndex(({ role }) => role !== "user") + 1);
  return since.map(textOfUser).flatMap((text) => {
    if (!text.startsWith(attachedImage)) return [];
    // The name is followed by its size: ", 40 × 30 pixels".
    const end = text.lastIndexOf(", ", text.lastIndexOf(" × "));
    return end < 0 ? [] : [text.slice(attachedImage.length, end)];
  });
};

/** Whether the message has no words, only attached images. */
export const isOnlyImage = ({ question, images }: Turn): boolean =>
  images.length > 0 && question.startsWith(attachedImage);
