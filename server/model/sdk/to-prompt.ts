import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ModelRequest, ToolSpec } from "../../../protocol/model.ts";
import { toCanonical } from "../../lib/canonical.ts";
import { clean } from "./codecs/clean.ts";
import type { Codec } from "./codecs/codec.ts";
import { markForCache } from "./codecs/mark-for-cache.ts";
import { toTurns, type Image, type TurnText, type Turn, type TurnPart } from "./codecs/to-turns.ts";

export type EncodedRequest = { readonly prompt: LanguageModelV4Prompt; readonly tools: LanguageModelV4FunctionTool[] };
/** A part whose prefix is sent again by later calls, so that a cache mark after it helps. */
export type CachePoint = {
  readonly message: number;
  readonly part: number;
  readonly kind: "opening" | "user" | "answer";
};

/**
 * Encodes a request for a provider package by the rules of the codec. The result is valid for any input, has the same bytes
 * for the same request, and appending to a request changes none of the bytes before.
 */
export const toPrompt = (request: ModelRequest, codec: Codec): EncodedRequest => {
  const system = clean(request.system);
  const prompt: LanguageModelV4Prompt = system.trim() === "" ? [] : [{ role: "system", content: system }];
  const spots: CachePoint[] = [];
  const turns = toTurns(request.messages, codec, request.images);
  for (const [at, turn] of turns.entries()) {
    if (turn.role === "user")
      writeUser({ prompt, spots, turn, codec, isFirst: at === 0, isLast: at === turns.length - 1 });
    else writeAnswer({ prompt, spots, turn, codec });
    const next = turns[at + 1];
    if (codec.afterTools !== null && turn.role === "assistant" && turn.results.length > 0 && next?.role === "user")
      prompt.push({ role: "assistant", content: [{ type: "text", text: codec.afterTools }] });
  }
  const tools = toTools(request.tools);
  return codec.cache === null ? { prompt, tools } : markForCache({ prompt, tools, spots, codec, rule: codec.cache });
};

type WriteOptions<T> = {
  readonly prompt: LanguageModelV4Prompt;
  readonly spots: CachePoint[];
  readonly turn: T;
  readonly codec: Codec;
};

type UserTurn = WriteOptions<Turn & { role: "user" }> & { readonly isFirst: boolean; readonly isLast: boolean };

const writeUser = ({ prompt, spots, turn, codec, isFirst, isLast }: UserTurn): void => {
  for (const texts of group(turn.texts, codec, isFirst)) {
    const content: UserContent = [];
    for (const [at, { text, marked, images = [] }] of texts.entries()) {
      content.push({ type: "text", text }, ...images.map(toFile));
      const part = content.length - 1;
      const isOpening = isFirst && at === 0 && marked;
      // Answered messages are sent again. The last one may not be.
      const isAnswered = !isLast && at === texts.length - 1;
      if (marked || isAnswered) spots.push({ message: prompt.length, part, kind: isOpening ? "opening" : "user" });
    }
    prompt.push({ role: "user", content });
  }
};

type UserContent = Extract<LanguageModelV4Message, { role: "user" }>["content"];

const toFile = ({ mediaType, content }: Image): UserContent[number] => ({
  type: "file",
  mediaType,
  data: { type: "data", data: content },
});

const group = (texts: readonly TurnText[], codec: Codec, isFirst: boolean): readonly (readonly TurnText[])[] => {
  if (codec.users === "apart") return texts.map((text) => [text]);
  if (codec.users === "blocks") return [texts];
  const [opening, ...others] = texts;
  // The opening block stays separate, so that it can have its own cache mark.
  if (codec.cache !== null && isFirst && opening?.marked === true && others.length > 0)
    return [[opening, join(others)]];
  return [[join(texts)]];
};

const join = (texts: readonly TurnText[]): TurnText => ({
  text: texts.map(({ text }) => text).join("\n\n"),
  marked: texts.some(({ marked }) => marked),
  images: texts.flatMap(({ images = [] }) => images),
});

const writeAnswer = ({ prompt, spots, turn, codec }: WriteOptions<Turn & { role: "assistant" }>) => {
  const { parts, results, marked } = turn;
  const content = toContent(parts, codec);
  prompt.push({ role: "assistant", content, ...toMissingReasoning(parts, codec) });
  if (results.length > 0) {
    prompt.push({
      role: "tool",
      content: results.map(({ id, name, text, failed }) => ({
        type: "tool-result",
        toolCallId: id,
        toolName: name,
        output: { type: failed ? "error-text" : "text", value: text },
      })),
    });
  }
  // While the model keeps calling tools, each step sends all earlier results again.
  const length = results.length > 0 ? results.length : content.length;
  if (marked || results.length > 0) spots.push({ message: prompt.length - 1, part: length - 1, kind: "answer" });
};

type Content = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

const toContent = (parts: readonly TurnPart[], codec: Codec): Content => {
  let isBegun = false;
  return parts.map((part): Content[number] => {
    const own = "own" in part && part.own !== undefined ? { providerOptions: part.own } : {};
    if (part.kind === "reasoning") return { type: "reasoning", text: part.text, ...own };
    if (part.kind === "call")
      return { type: "tool-call", toolCallId: part.id, toolName: part.name, input: part.input, ...own };
    const text = codec.gluesTexts && isBegun ? `\n\n${part.text}` : part.text;
    isBegun = true;
    return { type: "text", text };
  });
};

/** Some models require the reasoning of each tool call to be sent back. If there was none, an empty one is sent. */
const toMissingReasoning = (
  parts: readonly TurnPart[],
  codec: Codec,
): { readonly providerOptions?: SharedV4ProviderOptions } => {
  const isCalling = parts.some(({ kind }) => kind === "call");
  if (!codec.plainReasoning || !isCalling || parts.some((part) => hasReasoning(part, codec.namespace))) return {};
  return codec.namespace === "openrouter"
    ? { providerOptions: { openrouter: { reasoning_details: [] } } }
    : { providerOptions: { openaiCompatible: { reasoning_content: "" } } };
};

const hasReasoning = (part: TurnPart, namespace: string): boolean => {
  if (part.kind === "text") return false;
  if (part.own?.[namespace]?.["reasoning_details"] !== undefined) return true;
  return part.kind === "reasoning" && part.own === undefined && part.text !== "" && namespace !== "openrouter";
};

/** Specs never change, so each is encoded once. */
const encodedTools = new WeakMap<ToolSpec, LanguageModelV4FunctionTool>();

const toTools = (tools: readonly ToolSpec[]): LanguageModelV4FunctionTool[] =>
  tools.map((tool) => {
    const known = encodedTools.get(tool);
    if (known !== undefined) return known;
    const { name, description } = tool;
    const inputSchema = JSON.parse(toCanonical(tool.inputSchema)) as LanguageModelV4FunctionTool["inputSchema"];
    const spec: LanguageModelV4FunctionTool = { type: "function", name, description: clean(description), inputSchema };
    encodedTools.set(tool, spec);
    return spec;
  });
