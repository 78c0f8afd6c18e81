import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { ModelRequest, PromptMessage, PromptPart, PromptResult, ToolSpec } from "../../../protocol/model.ts";

type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];
type ToolContent = Extract<LanguageModelV4Message, { role: "tool" }>["content"];

/**
 * Our request in the packages' words. Tool calls and results always come out in pairs, whatever went in: providers
 * refuse a prompt with half a pair. Reasoning goes back only to the provider that made it, unchanged.
 */
export const toPrompt = (request: ModelRequest, namespace: string): LanguageModelV4Prompt => {
  const prompt: LanguageModelV4Prompt = request.system === "" ? [] : [{ role: "system", content: request.system }];
  const { messages } = request;
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at];
    if (message?.role === "user") prompt.push({ role: "user", content: [{ type: "text", text: message.text }] });
    if (message?.role !== "assistant") continue;
    const content = toAssistant(message.parts, namespace);
    if (content.length === 0) continue;
    prompt.push({ role: "assistant", content });
    const results = pairUp(message.parts, resultsAfter(messages, at));
    if (results.length > 0) prompt.push({ role: "tool", content: results });
  }
  return prompt;
};

const toAssistant = (parts: readonly PromptPart[], namespace: string): AssistantContent => {
  const content: AssistantContent = [];
  for (const part of parts) {
    if (part.kind === "text") {
      if (part.text !== "") content.push({ type: "text", text: part.text });
    } else if (part.kind === "reasoning") {
      const own = ownOptions(part.provider, namespace);
      if (own !== undefined) content.push({ type: "reasoning", text: part.text, providerOptions: own });
    } else {
      const own = ownOptions(part.provider, namespace);
      content.push({
        type: "tool-call",
        toolCallId: part.callId,
        toolName: part.name,
        input: toInput(part.input),
        ...(own === undefined ? {} : { providerOptions: own }),
      });
    }
  }
  return content;
};

/** Only what the same provider gave: another one's signatures mean nothing to it, and some refuse them. */
const ownOptions = (provider: unknown, namespace: string): SharedV4ProviderOptions | undefined => {
  if (typeof provider !== "object" || provider === null || !(namespace in provider)) return undefined;
  return provider as SharedV4ProviderOptions;
};

/** Providers take nothing but an object; what a model wrote otherwise is shown to it inside one. */
const toInput = (input: unknown): unknown =>
  typeof input === "object" && input !== null && !Array.isArray(input) ? input : { input: input ?? null };

const resultsAfter = (messages: readonly PromptMessage[], at: number): ReadonlyMap<string, PromptResult> => {
  const results = new Map<string, PromptResult>();
  for (const message of messages.slice(at + 1)) {
    if (message.role !== "tool") break;
    for (const result of message.results) results.set(result.callId, result);
  }
  return results;
};

const pairUp = (parts: readonly PromptPart[], results: ReadonlyMap<string, PromptResult>): ToolContent =>
  parts.flatMap((part): ToolContent => {
    if (part.kind !== "tool-call") return [];
    const result = results.get(part.callId);
    const output =
      result === undefined
        ? ({ type: "error-text", value: "No result of this call was recorded." } as const)
        : ({ type: result.failed ? "error-text" : "text", value: result.text } as const);
    return [{ type: "tool-result", toolCallId: part.callId, toolName: part.name, output }];
  });

export const toTools = (tools: readonly ToolSpec[]): LanguageModelV4FunctionTool[] =>
  tools.map((tool) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema as LanguageModelV4FunctionTool["inputSchema"],
  }));
