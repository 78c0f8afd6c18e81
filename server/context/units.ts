import { joinTexts, type MessageView } from "../../protocol/fold.ts";
import type { PromptMessage, PromptPart, PromptResult } from "../../protocol/model.ts";
import { isTerminal, type Part, type PartOf } from "../../protocol/parts.ts";

/**
 * A unit is kept or left out as a whole: a user message, a context update, or one step of an answer with its calls and their
 * results. So no call is ever sent without its result.
 */
export type Unit = {
  readonly kind: "update" | "message" | "step";
  /** The message that contains its parts. */
  readonly messageId: string;
  readonly depth: number;
  readonly parts: readonly Part[];
  readonly tokens: number;
  readonly messages: readonly PromptMessage[];
};

/** By `message/n`, as counted when the part was written. */
export type TokenCounts = ReadonlyMap<string, number>;

/** Tokens that a message adds to its text: role markers and separators. */
export const TOKENS_PER_MESSAGE = 4;

export const toUnits = (messages: readonly MessageView[], counts: TokenCounts): readonly Unit[] =>
  messages.flatMap((message, index) =>
    message.role === "user"
      ? [...toUpdate(messages[index + 1], counts), ...toUnit("message", message, message.parts, counts)]
      : toSteps(message, counts),
  );

/** The update before a user message is stored as a part of the answer to it. */
const toUpdate = (answer: MessageView | undefined, counts: TokenCounts): readonly Unit[] =>
  answer?.role === "assistant"
    ? toUnit(
        "update",
        answer,
        answer.parts.filter((part) => part.kind === "context"),
        counts,
      )
    : [];

const toSteps = (message: MessageView, counts: TokenCounts): readonly Unit[] => {
  const said = message.parts.filter((part) => part.kind !== "context" && part.aside === undefined);
  return [...Map.groupBy(said, (part) => part.step)]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([, step]) => toUnit("step", message, step, counts));
};

/** Empty if these parts have no content for a model. */
export function toUnit(
  kind: Unit["kind"],
  { id, depth, author }: Pick<MessageView, "id" | "depth" | "author">,
  parts: readonly Part[],
  counts: TokenCounts,
): readonly Unit[] {
  const plain = toMessages[kind](parts);
  const messages = kind === "message" && author ? plain.map((message) => withAuthor(message, author)) : plain;
  if (messages.length === 0) return [];
  const named = kind === "message" && author ? TOKENS_PER_AUTHOR : 0;
  const tokens = parts.reduce((sum, part) => sum + (counts.get(`${id}/${part.n}`) ?? 0), TOKENS_PER_MESSAGE + named);
  return [{ kind, messageId: id, depth, parts, tokens, messages }];
}

/** About what a name needs. */
const TOKENS_PER_AUTHOR = 12;
const MAX_NAME_CHARACTERS = 80;

/** In a shared thread, user messages begin with the name of their author. A name is one line, so that it cannot look like another message. */
function withAuthor(message: PromptMessage, { name }: NonNullable<MessageView["author"]>): PromptMessage {
  if (message.role !== "user") return message;
  const line = name
    .replace(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, MAX_NAME_CHARACTERS)
    .toWellFormed();
  return { ...message, text: `[Message from ${line || "another user"}]\n${message.text}` };
}

const textMessage = (texts: readonly string[]): readonly PromptMessage[] =>
  texts.length === 0 ? [] : [{ role: "user", text: texts.join("\n\n") }];

const toMessages = {
  update: (parts: readonly Part[]) =>
    textMessage(parts.flatMap((part) => (part.kind === "context" ? [part.text] : []))),
  message: (parts: readonly Part[]) => [
    ...parts.flatMap(toFile),
    ...textMessage(parts.flatMap((part) => (part.kind === "text" && part.text !== "" ? [part.text] : []))),
  ],
  step: (parts: readonly Part[]) => toStepMessages(parts),
} as const;

/** A separate message before the user's text: a picture by its hash, or the bounded text of a file. */
function toFile(part: Part): readonly PromptMessage[] {
  if (part.kind !== "file" || part.digest === undefined) return [];
  const { digest: text, hash, mediaType, name = "", width, pictures } = part;
  if (hash === undefined || (width === undefined && pictures === undefined)) return [{ role: "user", text }];
  const images = pictures?.map(({ page }) => toPageImage(hash, page, name)) ?? [{ hash, mediaType, name }];
  return [{ role: "user", text, images }];
}

const toPageImage = (hash: string, page: number, name: string) => ({
  hash: `${hash}/${page}`,
  mediaType: "image/jpeg",
  name: `${name}, page ${page}`,
});

function toStepMessages(parts: readonly Part[]): readonly PromptMessage[] {
  const calls = parts.filter((part): part is PartOf<"tool"> => part.kind === "tool" && isTerminal(part.state));
  const content = joinTexts(parts).flatMap((part): PromptPart[] => {
    switch (part.kind) {
      case "text":
        return part.text === "" ? [] : [{ kind: "text", text: part.text }];
      case "reasoning":
        return calls.length > 0 && part.state === "done" ? [toReasoning(part)] : [];
      case "tool":
        return isTerminal(part.state) ? [toCall(part)] : [];
      default:
        return [];
    }
  });
  if (content.length === 0) return [];
  const answer: PromptMessage = { role: "assistant", parts: content };
  return calls.length ? [answer, { role: "tool", results: calls.map(toResult) }] : [answer];
}

/** Reasoning is sent back only together with the calls it led to, for providers that require it. */
const toReasoning = ({ text, provider }: PartOf<"reasoning">): PromptPart =>
  provider === undefined ? { kind: "reasoning", text } : { kind: "reasoning", text, provider };

const toCall = ({ callId, name, input, inputText, provider }: PartOf<"tool">): PromptPart => {
  const text = input === undefined || inputText === undefined ? {} : { inputText };
  const call = { kind: "tool-call" as const, callId, name, input: input ?? {}, ...text };
  return provider === undefined ? call : { ...call, provider };
};

export const toResult = ({ callId, name, state, output, digest, errorText, note }: PartOf<"tool">): PromptResult => {
  const text = state === "ok" ? (digest ?? toText(output)) : (errorText ?? state);
  return { callId, name, text: note === undefined ? text : `[${note}]\n${text}`, failed: state !== "ok" };
};

/** The result before shortening. */
export const toWholeResult = ({ state, output, errorText }: PartOf<"tool">): string =>
  state === "ok" ? toText(output) : (errorText ?? state);

const toText = (output: unknown): string => (typeof output === "string" ? output : JSON.stringify(output ?? null));
