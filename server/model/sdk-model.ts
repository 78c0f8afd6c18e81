import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelInfo } from "../../protocol/api.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import type { Clock } from "../lib/clock.ts";
import type { CallBreakers } from "./breaker.ts";
import { toFailure } from "./failure.ts";
import type { Model } from "./model.ts";
import type { Timeouts } from "./models-config.ts";
import { chooseCodec } from "./sdk/codecs/choose-codec.ts";
import { toReasoning } from "./sdk/codecs/to-turns.ts";
import type { Provider } from "./sdk/provider.ts";
import { startCall } from "./sdk/start-call.ts";
import { toCallOptions } from "./sdk/to-call-options.ts";
import { createTranslation } from "./sdk/translate.ts";

/**
 * The only adapter to the AI SDK's provider packages: turns any LanguageModelV4 into a `Model`. Yields events that end with
 * one terminal event. This is the hot path: one read and one event for each chunk, without further streams in between. It never
 * throws. A stream that ends without a finish reason from the provider is `cut`, not done.
 */
export const createSdkModel = (options: {
  readonly info: ModelInfo;
  readonly provider: Provider;
  readonly clock: Clock;
  readonly timeouts: Timeouts;
  readonly breakers?: CallBreakers;
  /** Set by the user; null: the provider's default. */
  readonly sampling?: { readonly temperature: number | null; readonly topP: number | null };
}): Model => {
  const { info, provider, clock, timeouts } = options;
  const name = info.id.slice(info.provider.length + 1);
  const target = {
    ...{ provider, name, sampling: options.sampling },
    canReason: info.effort ?? info.reasoning,
    takesSampling: info.sampling !== false,
  };
  let model: LanguageModelV4 | undefined;
  const open = async (request: ModelRequest, abortSignal: AbortSignal) => {
    model ??= await provider.languageModel(name);
    const { stream } = await model.doStream(toCallOptions(request, target, abortSignal));
    return stream.getReader();
  };
  const codec = chooseCodec(provider.namespace, name);
  return {
    info,
    sendsReasoning: (part) => toReasoning(part, codec).length > 0,
    stream: (request, signal, { isBackground = false, isAskedFor = false } = {}) => ({
      [Symbol.asyncIterator]: () =>
        startCall({
          open: (abortSignal) => open(request, abortSignal),
          translate: (watch) => createTranslation({ model: name, provider, watch }),
          explain: (error) => toFailure(error, { label: provider.label, secrets: provider.secrets, now: clock.now() }),
          label: provider.label,
          timeouts: {
            firstMs: timeouts.firstMs ?? (provider.isSelfHosted ? selfHostedFirstMs : hostedFirstMs),
            idleMs: timeouts.idleMs ?? 60_000,
            totalMs: timeouts.totalMs ?? 600_000,
            loadMs: timeouts.loadMs ?? 900_000,
            noticeAfterMs: provider.isSelfHosted ? (timeouts.noticeAfterMs ?? 10_000) : null,
          },
          clock,
          breaker: isBackground ? options.breakers?.background : options.breakers?.foreground,
          isAskedFor,
          signal,
        }),
    }),
  };
};

/** Before the first token, a server on slow hardware may read a long prompt or load its model for minutes. */
const selfHostedFirstMs = 900_000;
/** Providers that hide their reasoning send nothing during it. */
const hostedFirstMs = 300_000;
