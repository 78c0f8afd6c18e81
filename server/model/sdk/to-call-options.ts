import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ModelRequest, ToolChoice } from "../../../protocol/model.ts";
import { chooseCodec } from "./codecs/choose-codec.ts";
import type { Provider } from "./providers.ts";
import { toPrompt } from "./to-prompt.ts";

type Target = {
  readonly provider: Provider;
  /** The model's name at the provider. */
  readonly name: string;
  readonly canReason: boolean;
};

/** The options of one call of a provider package. */
export const toCallOptions = (
  request: ModelRequest,
  { provider, name, canReason }: Target,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions => {
  const { prompt, tools } = toPrompt(request, chooseCodec(provider.namespace, name));
  return {
    prompt,
    abortSignal,
    ...(request.maxOutputTokens === null ? {} : { maxOutputTokens: request.maxOutputTokens }),
    ...(tools.length === 0 ? {} : { tools, toolChoice: toChoice(request.toolChoice) }),
    ...provider.callOptions(request.effort, canReason),
  };
};

const toChoice = (choice: ToolChoice) =>
  typeof choice === "string" ? { type: choice } : { type: "tool" as const, toolName: choice.tool };
