import type { JSONSchema7, LanguageModelV4CallOptions, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { CallSettings, ModelRequest, ToolChoice } from "../../../protocol/model.ts";
import { chooseCodec } from "./codecs/choose-codec.ts";
import type { Provider } from "./provider.ts";
import { toPrompt } from "./to-prompt.ts";

type Target = {
  readonly provider: Provider;
  /** The model's name at the provider. */
  readonly name: string;
  /** Whether a reasoning effort may be sent. */
  readonly canReason: boolean;
  readonly sampling?: { readonly temperature: number | null; readonly topP: number | null } | undefined;
  /** Whether the caller's temperature and top-p may be sent. */
  readonly takesSampling?: boolean;
};

/** The options of one call of a provider package. */
export const toCallOptions = (
  request: ModelRequest,
  { provider, name, canReason, sampling, takesSampling = true }: Target,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions => {
  const { prompt, tools } = toPrompt(request, chooseCodec(provider.namespace, name));
  const { settings = {} } = request;
  const { temperature = sampling?.temperature ?? null, topP = sampling?.topP ?? null } = takesSampling ? settings : {};
  const own = provider.callOptions(request.effort, canReason);
  const providerOptions = withOwnSettings(provider, own.providerOptions, {
    ...settings,
    // Without tools the setting is an error.
    ...(tools.length === 0 ? { parallelToolCalls: undefined } : {}),
  });
  return {
    prompt,
    abortSignal,
    ...(request.maxOutputTokens === null ? {} : { maxOutputTokens: request.maxOutputTokens }),
    ...(temperature === null ? {} : { temperature }),
    ...(topP === null ? {} : { topP }),
    ...toOtherSettings(settings),
    ...(tools.length === 0 ? {} : { tools, toolChoice: toChoice(request.toolChoice) }),
    ...own,
    ...(providerOptions ? { providerOptions } : {}),
  };
};

const toOtherSettings = ({ presencePenalty, frequencyPenalty, seed, stop, format }: CallSettings) => ({
  ...(presencePenalty === undefined ? {} : { presencePenalty }),
  ...(frequencyPenalty === undefined ? {} : { frequencyPenalty }),
  ...(seed === undefined ? {} : { seed }),
  ...(stop === undefined ? {} : { stopSequences: [...stop] }),
  ...(format === undefined ? {} : { responseFormat: toFormat(format) }),
});

const toFormat = ({ name, description, schema }: NonNullable<CallSettings["format"]>) => ({
  type: "json" as const,
  ...(name === undefined ? {} : { name }),
  ...(description === undefined ? {} : { description }),
  ...(schema === undefined ? {} : { schema: schema as JSONSchema7 }),
});

type OwnSettings = {
  readonly parallelToolCalls?: boolean | undefined;
  readonly reasoningEffort?: string | undefined;
};

/**
 * Settings that only some packages have. The package for compatible servers passes on fields that it does not know. Compatible
 * servers get the caller's effort even for models that are not known to accept one.
 */
const withOwnSettings = (
  { namespace }: Provider,
  options: SharedV4ProviderOptions | undefined,
  { parallelToolCalls, reasoningEffort }: OwnSettings,
): SharedV4ProviderOptions | undefined => {
  const isCompatible = namespace === "compatible";
  const added = {
    ...(isCompatible && parallelToolCalls !== undefined ? { parallel_tool_calls: parallelToolCalls } : {}),
    ...(isCompatible && reasoningEffort !== undefined ? { reasoningEffort } : {}),
    ...(withParallelCalls.has(namespace) && parallelToolCalls !== undefined ? { parallelToolCalls } : {}),
  };
  return Object.keys(added).length === 0 ? options : { ...options, [namespace]: { ...options?.[namespace], ...added } };
};
const withParallelCalls: ReadonlySet<string> = new Set(["openai", "azure", "groq", "mistral"]);

const toChoice = (choice: ToolChoice) =>
  typeof choice === "string" ? { type: choice } : { type: "tool" as const, toolName: choice.tool };
