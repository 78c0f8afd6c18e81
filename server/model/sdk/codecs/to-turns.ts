import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ModelRequest, PromptMessage, PromptPart, PromptResult } from "../../../../protocol/model.ts";
import { clean, createIds, isBlank, toInput, fillBlank, toToolName } from "./clean.ts";
import type { Codec } from "./codec.ts";
import { findOwnMetadata } from "./provider-metadata.ts";

export type Image = { readonly mediaType: string; readonly content: string };
export type TurnText = { readonly text: string; readonly marked: boolean; readonly images?: readonly Image[] };
export type TurnPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string; readonly own?: SharedV4ProviderOptions }
  | {
      readonly kind: "call";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly own?: SharedV4ProviderOptions;
    };
type TurnResult = {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly failed: boolean;
};

/** A turn of the user, or of the assistant with the results of its calls. Two turns of the same role have results between. */
export type Turn =
  | { readonly role: "user"; readonly texts: readonly TurnText[] }
  | {
      readonly role: "assistant";
      readonly parts: readonly TurnPart[];
      readonly results: readonly TurnResult[];
      readonly marked: boolean;
    };

/**
 * Turns any messages into a sequence that every provider accepts: it begins with the user and ends with a user message or
 * tool result, nothing is empty, call ids are unique, and each call has exactly one result. A turn does not depend on later
 * messages, except for a text added at the very end.
 */
export const toTurns = (
  messages: readonly PromptMessage[],
  codec: Codec,
  images?: ModelRequest["images"],
): readonly Turn[] => {
  const turns: Turn[] = [];
  const nextId = createIds(codec.callIds);
  const isRepeated = createRepeatCheck();
  for (const [at, message] of messages.entries()) {
    if (message.role === "user") {
      addUserText(turns, { ...toUserText(message, images), marked: message.breakpoint === true });
    } else if (message.role === "assistant") {
      addAnswer(turns, toAnswer({ message, after: toolsAfter(messages, at), codec, nextId, isRepeated }));
    }
  }
  if (turns.at(-1)?.role !== "user" && !hasResults(turns.at(-1))) addUserText(turns, { text: CONTINUE, marked: false });
  return turns;
};

const EMPTY_MESSAGE = "[an empty message]";
const EMPTY_RESULT = "[an empty result]";
const NO_RESULT = "No result of this call was recorded.";
const OPENING = "[The conversation begins with an answer.]";
const CONTINUE = "[Continue.]";

/** With its images. A note replaces an image whose content is no longer stored. */
const toUserText = (
  { text, images: named = [] }: PromptMessage & { readonly role: "user" },
  images: ModelRequest["images"],
): Omit<TurnText, "marked"> => {
  const written = fillBlank(text, EMPTY_MESSAGE);
  if (named.length === 0) return { text: written };
  const found = named.flatMap(({ hash, mediaType }) => {
    const content = images?.[hash];
    return content === undefined ? [] : [{ mediaType, content }];
  });
  if (found.length === named.length) return { text: written, images: found };
  return { text: `${written}\n${NOT_STORED}`, images: found };
};

const NOT_STORED = "[It was not sent because its content is no longer stored.]";

const hasResults = (turn: Turn | undefined): boolean => turn?.role === "assistant" && turn.results.length > 0;

const addUserText = (turns: Turn[], added: TurnText): void => {
  const last = turns.at(-1);
  if (last?.role === "user") turns[turns.length - 1] = { ...last, texts: [...last.texts, added] };
  else turns.push({ role: "user", texts: [added] });
};

const addAnswer = (turns: Turn[], answer: Turn & { role: "assistant" }): void => {
  if (answer.parts.length === 0) return;
  const last = turns.at(-1);
  if (last === undefined) addUserText(turns, { text: OPENING, marked: false });
  if (last?.role !== "assistant" || last.results.length > 0) return void turns.push(answer);
  turns[turns.length - 1] = { ...answer, parts: [...last.parts, ...answer.parts] };
};

type ToolMessage = PromptMessage & { readonly role: "tool" };

const toolsAfter = (messages: readonly PromptMessage[], at: number): readonly ToolMessage[] => {
  const found: ToolMessage[] = [];
  for (let next = at + 1; next < messages.length; next += 1) {
    const message = messages[next];
    if (message?.role === "assistant") break;
    if (message?.role === "tool") found.push(message);
  }
  return found;
};

type AnswerInput = {
  readonly message: PromptMessage & { readonly role: "assistant" };
  readonly after: readonly ToolMessage[];
  readonly codec: Codec;
  readonly nextId: (callId: string) => string;
  readonly isRepeated: ReturnType<typeof createRepeatCheck>;
};

const toAnswer = ({ message, after, codec, nextId, isRepeated }: AnswerInput): Turn & { role: "assistant" } => {
  const waiting = after.flatMap(({ results }) => results);
  const results: TurnResult[] = [];
  const parts = message.parts.flatMap((part): TurnPart[] => {
    if (part.kind === "text") return isBlank(part.text) ? [] : [{ kind: "text", text: clean(part.text) }];
    if (part.kind === "reasoning") return toReasoning(part, codec).filter(({ own }) => !isRepeated(own, message));
    const call = { id: nextId(part.callId), name: toToolName(part.name) };
    results.push({ ...call, ...removeResult(waiting, part.callId) });
    const own = findOwnMetadata(part.provider, codec);
    return [
      { kind: "call", ...call, input: toInput(part.input, part.inputText), ...(own?.options && { own: own.options }) },
    ];
  });
  const end = parts.findLastIndex(({ kind }) => kind !== "reasoning") + 1;
  const marked = message.breakpoint === true || after.some(({ breakpoint }) => breakpoint === true);
  return { role: "assistant", parts: parts.slice(0, end), results, marked };
};

type Reasoning = TurnPart & { readonly kind: "reasoning" };

/** Reasoning is sent back only to the model that wrote it, byte for byte or not at all. `context/` uses the same rule. */
export const toReasoning = (
  { text, provider }: Pick<PromptPart & { kind: "reasoning" }, "text" | "provider">,
  codec: Codec,
): readonly Reasoning[] => {
  const own = findOwnMetadata(provider, codec);
  if (own === undefined || clean(text) !== text) return [];
  if (own.options)
    return codec.acceptsMetadata(own.options[codec.namespace] ?? {})
      ? [{ kind: "reasoning", text, own: own.options }]
      : [];
  // OpenRouter's package sends it only together with its metadata.
  return codec.plainReasoning && codec.namespace !== "openrouter" && text !== "" ? [{ kind: "reasoning", text }] : [];
};

/** Finds items of reasoning that were part of an earlier answer: providers reject the copy. */
const createRepeatCheck = () => {
  const seen = new Map<unknown, PromptMessage>();
  return (own: SharedV4ProviderOptions | undefined, message: PromptMessage): boolean => {
    const itemId = Object.values(own ?? {})[0]?.["itemId"];
    if (itemId === undefined) return false;
    const first = seen.get(itemId) ?? message;
    seen.set(itemId, first);
    return first !== message;
  };
};

/** If an id has two results, the first belongs to its first call. */
const removeResult = (waiting: PromptResult[], callId: string): Pick<TurnResult, "text" | "failed"> => {
  const at = waiting.findIndex((result) => result.callId === callId);
  const [result] = at < 0 ? [] : waiting.splice(at, 1);
  if (result === undefined) return { text: NO_RESULT, failed: true };
  return { text: fillBlank(result.text, EMPTY_RESULT), failed: result.failed };
};
