import { addLocalFacts } from "../lists/local-facts.ts";
import { toListings, toRows } from "../lists/listing.ts";
import { fetchList } from "../lists/refresh.ts";
import { isKeyed, needsAddress } from "../keyed-providers.ts";
import { listServers, type CompatibleServer, type ModelsConfig } from "../models-config.ts";
import { createModelFetch } from "./model-fetch.ts";
import { nativeProviders } from "./native-providers.ts";
import { asReasoning, at, isSet, load, withoutSlash, type Fetch, type Provider } from "./provider.ts";

/** The providers that are set up, by id. */
export const createProviders = (config: ModelsConfig, plainFetch: Fetch): ReadonlyMap<string, Provider> => {
  const { keys, baseUrls, fetches } = config;
  const providers = new Map<string, Provider>();
  for (const [id, apiKey] of Object.entries(keys)) {
    const baseUrl = baseUrls?.[id as keyof typeof baseUrls];
    if (!isKeyed(id) || !isSet(apiKey) || (needsAddress(id) && !isSet(baseUrl))) continue;
    const own = fetches?.[id] ?? plainFetch;
    const fetch = createModelFetch(own, id === "bedrock" ? "binary" : "other");
    const chatFetch = createModelFetch(own, "chat");
    if (id === "openrouter") providers.set(id, openRouter(apiKey, baseUrl, chatFetch));
    else if (id === "openai") providers.set(id, openAi(apiKey, baseUrl, fetch));
    else if (id === "anthropic") providers.set(id, anthropic(apiKey, baseUrl, fetch));
    else if (id === "google") providers.set(id, google(apiKey, baseUrl, createModelFetch(own, "google")));
    else providers.set(id, nativeProviders[id]({ apiKey, baseUrl, fetch, chatFetch }));
  }
  for (const [id, server] of listServers(config))
    providers.set(id, openAiCompatible(server, createModelFetch(server.fetch ?? plainFetch, "chat")));
  return providers;
};

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
    readList: async (signal) => toList(await fetchList(fetch, listUrl, { signal })),
    checkKey: async (signal) => {
      const headers = { authorization: `Bearer ${apiKey}` };
      await fetchList(fetch, listUrl.replace(/models$/, "key"), { headers, signal });
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
    readList: async (signal) => {
      const headers = { authorization: `Bearer ${apiKey}` };
      return toList(await fetchList(fetch, `${baseUrl ?? "https://api.openai.com/v1"}/models`, { headers, signal }));
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
    readList: async (signal) => {
      const headers = { "x-api-key": apiKey, "anthropic-version": "2023-06-01" };
      const url = `${baseUrl ?? "https://api.anthropic.com/v1"}/models?limit=1000`;
      return toList(await fetchList(fetch, url, { headers, signal }));
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
    readList: async (signal) => {
      const url = `${baseUrl ?? "https://generativelanguage.googleapis.com/v1beta"}/models?pageSize=1000`;
      return toList(await fetchList(fetch, url, { headers: { "x-goog-api-key": apiKey }, signal }));
    },
  };
};

const toList = (list: unknown) => ({ listings: toListings(list), count: toRows(list)?.length });

const openAiCompatible = (server: CompatibleServer, fetch: Fetch): Provider => {
  const { apiKey, label, headers: ownHeaders = {} } = server;
  const baseURL = withoutSlash(server.baseUrl);
  const key = isSet(apiKey) ? { apiKey } : {};
  const settings = {
    ...{ name: "compatible", baseURL, fetch, includeUsage: true, headers: ownHeaders, ...key },
    supportsStructuredOutputs: true,
  };
  const sdk = load(import("@ai-sdk/openai-compatible"), ({ createOpenAICompatible }) =>
    createOpenAICompatible(settings),
  );
  const headers = { ...(isSet(apiKey) ? { authorization: `Bearer ${apiKey}` } : {}), ...ownHeaders };
  const { origin, host, port } = URL.canParse(baseURL)
    ? new URL(baseURL)
    : { origin: baseURL, host: "The OpenAI-compatible server", port: "" };
  return {
    label: label ?? host,
    secrets: [...(isSet(apiKey) ? [apiKey] : []), ...Object.values(ownHeaders)],
    namespace: "compatible",
    saysFinish: true,
    isSelfHosted: true,
    hasThinkTags: true,
    languageModel: async (model) => (await sdk()).chatModel(model),
    // Many such servers reject reasoning settings that they do not know. `medium` is the server's own default.
    callOptions: (effort, canReason) =>
      canReason && effort !== "medium" ? { providerOptions: { compatible: { reasoningEffort: effort } } } : {},
    readList: async (signal) => {
      const list = await fetchList(fetch, `${baseURL}/models`, { headers, signal });
      const ask = (path: string, body?: unknown) => fetchList(fetch, `${origin}${path}`, { headers, body, signal });
      const listings = await addLocalFacts(toListings(list), list, { ask, port });
      return { listings, count: toRows(list)?.length };
    },
  };
};
