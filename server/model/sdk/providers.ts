import type { LanguageModelV4, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { Effort } from "../../../protocol/model.ts";
import type { ModelsConfig } from "../models-config.ts";
import { countListed, fetchList, type Listing, toListings } from "../refresh.ts";
import { createModelFetch } from "./model-fetch.ts";

/** A provider package behind a common interface, with its differences as data. */
export type Provider = {
  readonly label: string;
  /** Values that must never appear in a text for users. */
  readonly secrets: readonly string[];
  /** The key of its package's metadata, which must be sent back unchanged (signatures, encrypted reasoning). */
  readonly namespace: string;
  /** Whether a finish without a reason from the provider means that the stream was cut. */
  readonly saysFinish: boolean;
  /** May run on slow hardware and load its model on demand, so the first token may take minutes. */
  readonly isSelfHosted?: true;
  /** Models there may write their reasoning into the content, in `<think>` tags. */
  readonly hasThinkTags?: true;
  /** Its package is loaded only if the provider is configured: each adds 0.1 s to startup. */
  readonly languageModel: (model: string) => LanguageModelV4 | Promise<LanguageModelV4>;
  readonly callOptions: (effort: Effort, canReason: boolean) => CallOptions;
  /** null if the provider has no useful list. */
  readonly readList: (signal: AbortSignal) => Promise<readonly Listing[] | null>;
  /** Reads the models with the key, so that a wrong key fails: their number, or undefined if the response is not a list. */
  readonly countModels: (signal: AbortSignal) => Promise<number | undefined>;
};

type CallOptions = { readonly reasoning?: Effort; readonly providerOptions?: SharedV4ProviderOptions };

export const createProviders = (
  config: ModelsConfig,
  plainFetch: typeof globalThis.fetch,
): ReadonlyMap<string, Provider> => {
  const fetch = createModelFetch(plainFetch);
  const chatFetch = createModelFetch(plainFetch, "chat");
  const { keys, baseUrls, compatible } = config;
  const providers = new Map<string, Provider>();
  if (isSet(keys.openrouter)) providers.set("openrouter", openRouter(keys.openrouter, baseUrls?.openrouter, chatFetch));
  if (isSet(keys.openai)) providers.set("openai", openAi(keys.openai, baseUrls?.openai, fetch));
  if (isSet(keys.anthropic)) providers.set("anthropic", anthropic(keys.anthropic, baseUrls?.anthropic, fetch));
  if (isSet(keys.google)) {
    providers.set("google", google(keys.google, baseUrls?.google, createModelFetch(plainFetch, "google")));
  }
  if (compatible !== undefined) {
    const ownFetch = compatible.fetch === undefined ? chatFetch : createModelFetch(compatible.fetch, "chat");
    providers.set("compatible", openAiCompatible(compatible, ownFetch));
  }
  return providers;
};

type Fetch = typeof globalThis.fetch;

/** A package that cannot be loaded fails its calls, not the process. */
const load = <Package, Sdk>(loading: Promise<Package>, create: (found: Package) => Sdk): (() => Promise<Sdk>) => {
  const created = loading.then(create);
  created.catch(() => {});
  return () => created;
};

const isSet = (key: string | undefined): key is string => key !== undefined && key !== "";
const at = (baseURL: string | undefined) => (baseURL === undefined ? {} : { baseURL });
const noList = () => Promise.resolve(null);
const asReasoning = (effort: Effort, canReason: boolean): CallOptions => (canReason ? { reasoning: effort } : {});

const openRouter = (apiKey: string, baseUrl: string | undefined, fetch: Fetch): Provider => {
  const settings = { apiKey, ...at(baseUrl), fetch, compatibility: "strict", appName: "Stonechat" } as const;
  const sdk = load(import("@openrouter/ai-sdk-provider"), ({ createOpenRouter }) => createOpenRouter(settings));
  const listUrl = `${baseUrl ?? "https://openrouter.ai/api/v1"}/models`;
  return {
    label: "OpenRouter",
    secrets: [apiKey],
    namespace: "openrouter",
    saysFinish: true,
    hasThinkTags: true,
    languageModel: async (model) => (await sdk()).chat(model, { usage: { include: true }, parallelToolCalls: true }),
    callOptions: (effort, canReason) =>
      canReason
        ? { providerOptions: { openrouter: { reasoning: effort === "none" ? { enabled: false } : { effort } } } }
        : {},
    readList: async (signal) => toListings(await fetchList(fetch, listUrl, {}, signal)),
    countModels: async (signal) => {
      // The list is public, so the key is checked with another request.
      await fetchList(fetch, listUrl.replace(/models$/, "key"), { authorization: `Bearer ${apiKey}` }, signal);
      return countListed(await fetchList(fetch, listUrl, {}, signal));
    },
  };
};

const openAi = (apiKey: string, baseUrl: string | undefined, fetch: Fetch): Provider => {
  const sdk = load(import("@ai-sdk/openai"), ({ createOpenAI }) => createOpenAI({ apiKey, ...at(baseUrl), fetch }));
  return {
    label: "OpenAI",
    secrets: [apiKey],
    namespace: "openai",
    saysFinish: false,
    languageModel: async (model) => (await sdk()).responses(model),
    // Nothing is stored at the provider: reasoning is returned encrypted and sent again with the next step.
    callOptions: (effort, canReason) => ({
      ...asReasoning(effort, canReason),
      providerOptions: {
        openai: {
          store: false,
          parallelToolCalls: true,
          ...(canReason ? { include: ["reasoning.encrypted_content"] } : {}),
        },
      },
    }),
    readList: noList,
    countModels: async (signal) => {
      const headers = { authorization: `Bearer ${apiKey}` };
      return countListed(await fetchList(fetch, `${baseUrl ?? "https://api.openai.com/v1"}/models`, headers, signal));
    },
  };
};

const anthropic = (apiKey: string, baseUrl: string | undefined, fetch: Fetch): Provider => {
  const settings = { apiKey, ...at(baseUrl), fetch };
  const sdk = load(import("@ai-sdk/anthropic"), ({ createAnthropic }) => createAnthropic(settings));
  return {
    label: "Anthropic",
    secrets: [apiKey],
    namespace: "anthropic",
    saysFinish: true,
    languageModel: async (model) => (await sdk()).languageModel(model),
    callOptions: asReasoning,
    readList: noList,
    countModels: async (signal) => {
      const headers = { "x-api-key": apiKey, "anthropic-version": "2023-06-01" };
      const url = `${baseUrl ?? "https://api.anthropic.com/v1"}/models?limit=1000`;
      return countListed(await fetchList(fetch, url, headers, signal));
    },
  };
};

const google = (apiKey: string, baseUrl: string | undefined, fetch: Fetch): Provider => {
  const sdk = load(import("@ai-sdk/google"), ({ createGoogle }) => createGoogle({ apiKey, ...at(baseUrl), fetch }));
  return {
    label: "Google",
    secrets: [apiKey],
    namespace: "google",
    saysFinish: true,
    languageModel: async (model) => (await sdk()).languageModel(model),
    callOptions: (effort, canReason) =>
      canReason
        ? {
            reasoning: effort,
            providerOptions: { google: { thinkingConfig: { includeThoughts: effort !== "none" } } },
          }
        : {},
    readList: noList,
    countModels: async (signal) => {
      const url = `${baseUrl ?? "https://generativelanguage.googleapis.com/v1beta"}/models?pageSize=1000`;
      return countListed(await fetchList(fetch, url, { "x-goog-api-key": apiKey }, signal));
    },
  };
};

const openAiCompatible = (compatible: NonNullable<ModelsConfig["compatible"]>, fetch: Fetch): Provider => {
  const { apiKey } = compatible;
  const baseURL = compatible.baseUrl.replace(/(?<!\/)\/+$/, "");
  const key = isSet(apiKey) ? { apiKey } : {};
  const settings = { name: "compatible", baseURL, fetch, includeUsage: true, ...key };
  const sdk = load(import("@ai-sdk/openai-compatible"), ({ createOpenAICompatible }) =>
    createOpenAICompatible(settings),
  );
  const headers: Record<string, string> = isSet(apiKey) ? { authorization: `Bearer ${apiKey}` } : {};
  return {
    label: URL.canParse(baseURL) ? new URL(baseURL).host : "The OpenAI-compatible server",
    secrets: isSet(apiKey) ? [apiKey] : [],
    namespace: "compatible",
    saysFinish: true,
    isSelfHosted: true,
    hasThinkTags: true,
    languageModel: async (model) => (await sdk()).chatModel(model),
    // Many such servers reject unknown reasoning settings, so none is sent.
    callOptions: () => ({}),
    readList: async (signal) => toListings(await fetchList(fetch, `${baseURL}/models`, headers, signal)),
    countModels: async (signal) => countListed(await fetchList(fetch, `${baseURL}/models`, headers, signal)),
  };
};
