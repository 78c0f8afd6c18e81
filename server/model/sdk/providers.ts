import type { LanguageModelV4, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { Effort } from "../../../protocol/model.ts";
import type { ModelsConfig } from "../models-config.ts";
import { countListed, fetchList, type Listing, toListings } from "../refresh.ts";
import { boundLines } from "./bound-lines.ts";

/** One provider's package behind one shape, with what is particular to it as data. */
export type Provider = {
  readonly label: string;
  /** Values that may never show in a text for people. */
  readonly secrets: readonly string[];
  /** The key under which its package keeps what must come back unchanged (signatures, encrypted reasoning). */
  readonly namespace: string;
  /** Whether a finish without the provider's own word for it means that the stream was cut. */
  readonly saysFinish: boolean;
  /** May run on slow hardware and load its model on demand, so the first token may take minutes. */
  readonly isSelfHosted?: true;
  /** Models there may write their reasoning into the content, in `<think>` tags. */
  readonly hasThinkTags?: true;
  /** Its package is loaded as soon as the provider is configured, and never where it is not: each costs a start 0.1 s. */
  readonly languageModel: (model: string) => LanguageModelV4 | Promise<LanguageModelV4>;
  readonly callOptions: (effort: Effort, canReason: boolean) => CallOptions;
  /** null where the provider has no list that helps. */
  readonly readList: (signal: AbortSignal) => Promise<readonly Listing[] | null>;
  /** Asks for its models with the key, so that a wrong one is found out: how many; undefined for what is no list. */
  readonly countModels: (signal: AbortSignal) => Promise<number | undefined>;
};

type CallOptions = { readonly reasoning?: Effort; readonly providerOptions?: SharedV4ProviderOptions };

export const createProviders = (
  config: ModelsConfig,
  plainFetch: typeof globalThis.fetch,
): ReadonlyMap<string, Provider> => {
  const fetch = boundLines(plainFetch);
  const chatFetch = boundLines(plainFetch, "chat");
  const { keys, baseUrls, compatible } = config;
  const providers = new Map<string, Provider>();
  if (isSet(keys.openrouter)) providers.set("openrouter", openRouter(keys.openrouter, baseUrls?.openrouter, chatFetch));
  if (isSet(keys.openai)) providers.set("openai", openAi(keys.openai, baseUrls?.openai, fetch));
  if (isSet(keys.anthropic)) providers.set("anthropic", anthropic(keys.anthropic, baseUrls?.anthropic, fetch));
  if (isSet(keys.google)) {
    providers.set("google", google(keys.google, baseUrls?.google, boundLines(plainFetch, "google")));
  }
  if (compatible !== undefined) {
    const way = compatible.fetch === undefined ? chatFetch : boundLines(compatible.fetch, "chat");
    providers.set("compatible", openAiCompatible(compatible, way));
  }
  return providers;
};

type Fetch = typeof globalThis.fetch;

/** A package that cannot be loaded is its calls' failure, not the process's. */
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
      // Its list is open to everybody; this is not.
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
    // Nothing is kept at the provider: reasoning comes back encrypted and goes out again with the next step.
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
    // Many such servers refuse a reasoning setting they do not know: theirs is left as it is.
    callOptions: () => ({}),
    readList: async (signal) => toListings(await fetchList(fetch, `${baseURL}/models`, headers, signal)),
    countModels: async (signal) => countListed(await fetchList(fetch, `${baseURL}/models`, headers, signal)),
  };
};
