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
import { toTurns, type Picture, type TurnText, type Turn, type TurnPart } from "./codecs/to-turns.ts";

export type Encoded = { readonly prompt: LanguageModelV4Prompt; readonly tools: LanguageModelV4FunctionTool[] };
/** A place that will be sent again up to its end, with the kind of thing that stands there. */
export type Spot = { readonly message: number; readonly part: number; readonly kind: "opening" | "words" | "answer" };

/**
 * Our request in the packages' words, as the codec wants it. Valid whatever goes in; the same bytes for the same request; and what
 * is appended to a request changes none of the bytes before it.
 */
export const toPrompt = (request: ModelRequest, codec: Codec): Encoded => {
  const system = clean(request.system);
  const prompt: LanguageModelV4Prompt = system.trim() === "" ? [] : [{ role: "system", content: system }];
  const spots: Spot[] = [];
  const turns = toTurns(request.messages, codec, request.images);
  for (const [at, turn] of turns.entries()) {
    if (turn.role === "user")
      writeWords({ prompt, spots, turn, codec, isFirst: at === 0, isLast: at === turns.length - 1 });
    else writeAnswer({ prompt, spots, turn, codec });
    const next = turns[at + 1];
    if (codec.afterTools !== null && turn.role === "assistant" && turn.results.length > 0 && next?.role === "user")
      prompt.push({ role: "assistant", content: [{ type: "text", text: codec.afterTools }] });
  }
  const tools = toTools(request.tools);
  return codec.cache === null ? { prompt, tools } : markForCache({ prompt, tools, spots, codec, rule: codec.cache });
};

type Writing<T> = {
  readonly prompt: LanguageModelV4Prompt;
  readonly spots: Spot[];
  readonly turn: T;
  readonly codec: Codec;
};

type Words = Writing<Turn & { role: "user" }> & { readonly isFirst: boolean; readonly isLast: boolean };

const writeWords = ({ prompt, spots, turn, codec, isFirst, isLast }: Words): void => {
  for (const texts of group(turn.texts, codec, isFirst)) {
    const content: UserContent = [];
    for (const [at, { text, marked, pictures = [] }] of texts.entries()) {
      content.push({ type: "text", text }, ...pictures.map(toFile));
      const part = content.length - 1;
      const isOpening = isFirst && at === 0 && marked;
      // Words that were answered come again; those at the end may be said only once.
      const isAnswered = !isLast && at === texts.length - 1;
      if (marked || isAnswered) spots.push({ message: prompt.length, part, kind: isOpening ? "opening" : "words" });
    }
    prompt.push({ role: "user", content });
  }
};

type UserContent = Extract<LanguageModelV4Message, { role: "user" }>["content"];

const toFile = ({ mediaType, content }: Picture): UserContent[number] => ({
  type: "file",
  mediaType,
  data: { type: "data", data: content },
});

const group = (texts: readonly TurnText[], codec: Codec, isFirst: boolean): readonly (readonly TurnText[])[] => {
  if (codec.users === "apart") return texts.map((said) => [said]);
  if (codec.users === "blocks") return [texts];
  const [opening, ...others] = texts;
  // The opening block keeps to itself, so that it can carry its mark.
  if (codec.cache !== null && isFirst && opening?.marked === true && others.length > 0)
    return [[opening, join(others)]];
  return [[join(texts)]];
};

const join = (texts: readonly TurnText[]): TurnText => ({
  text: texts.map(({ text }) => text).join("\n\n"),
  marked: texts.some(({ marked }) => marked),
  pictures: texts.flatMap(({ pictures = [] }) => pictures),
});

const writeAnswer = ({ prompt, spots, turn, codec }: Writing<Turn & { role: "assistant" }>) => {
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
  // Within a loop of calls every result is a place that comes again with the next step.
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

/** A model that wants its reasoning back with its calls is told that there was none, rather than nothing. */
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

/** Specs are made once and never change: each is put in order once. */
const written = new WeakMap<ToolSpec, LanguageModelV4FunctionTool>();

const toTools = (tools: readonly ToolSpec[]): LanguageModelV4FunctionTool[] =>
  tools.map((tool) => {
    const known = written.get(tool);
    if (known !== undefined) return known;
    const { name, description } = tool;
    const inputSchema = JSON.parse(toCanonical(tool.inputSchema)) as LanguageModelV4FunctionTool["inputSchema"];
    const spec: LanguageModelV4FunctionTool = { type: "function", name, description: clean(description), inputSchema };
    written.set(tool, spec);
    return spec;
  });
