import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ModelRequest, ToolChoice } from "../../../protocol/model.ts";
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
};

/** The options of one call of a provider package. */
export const toCallOptions = (
  request: ModelRequest,
  { provider, name, canReason, sampling }: Target,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions => {
  const { prompt, tools } = toPrompt(request, chooseCodec(provider.namespace, name));
  return {
    prompt,
    abortSignal,
    ...(request.maxOutputTokens === null ? {} : { maxOutputTokens: request.maxOutputTokens }),
    ...(sampling && sampling.temperature !== null ? { temperature: sampling.temperature } : {}),
    ...(sampling && sampling.topP !== null ? { topP: sampling.topP } : {}),
    ...(tools.length === 0 ? {} : { tools, toolChoice: toChoice(request.toolChoice) }),
    ...provider.callOptions(request.effort, canReason),
  };
};

const toChoice = (choice: ToolChoice) =>
  typeof choice === "string" ? { type: choice } : { type: "tool" as const, toolName: choice.tool };
