import { toListings, toRows } from "../lists/listing.ts";
import { fetchList } from "../lists/refresh.ts";
import { keyedProviders, type KeyedProvider } from "../keyed-providers.ts";
import { asReasoning, at, load, withoutSlash, type Fetch, type Provider } from "./provider.ts";

type Options = {
  readonly apiKey: string;
  readonly baseUrl: string | undefined;
  readonly fetch: Fetch;
  /** Repairs streams of OpenAI's chat format. */
  readonly chatFetch: Fetch;
};
type Native = "mistral" | "xai" | "groq" | "deepseek" | "azure" | "bedrock";

/** The provider packages beyond the first four. Each is imported when its provider is set up. */
export const nativeProviders: Readonly<Record<Native, (options: Options) => Provider>> = {
  mistral: ({ apiKey, baseUrl, fetch }) => {
    const sdk = load(import("@ai-sdk/mistral"), ({ createMistral }) =>
      createMistral({ apiKey, ...at(baseUrl), fetch }),
    );
    return {
      ...common("mistral", apiKey),
      languageModel: async (model) => (await sdk()).languageModel(model),
      readList: readBearerList(fetch, `${baseUrl ?? "https://api.mistral.ai/v1"}/models`, apiKey),
    };
  },
  xai: ({ apiKey, baseUrl, fetch }) => {
    const sdk = load(import("@ai-sdk/xai"), ({ createXai }) => createXai({ apiKey, ...at(baseUrl), fetch }));
    return {
      ...common("xai", apiKey),
      languageModel: async (model) => (await sdk()).languageModel(model),
      readList: readBearerList(fetch, `${baseUrl ?? "https://api.x.ai/v1"}/models`, apiKey),
    };
  },
  groq: ({ apiKey, baseUrl, chatFetch: fetch }) => {
    const sdk = load(import("@ai-sdk/groq"), ({ createGroq }) => createGroq({ apiKey, ...at(baseUrl), fetch }));
    return {
      ...common("groq", apiKey),
      hasThinkTags: true,
      languageModel: async (model) => (await sdk()).languageModel(model),
      readList: readBearerList(fetch, `${baseUrl ?? "https://api.groq.com/openai/v1"}/models`, apiKey),
    };
  },
  deepseek: ({ apiKey, baseUrl, chatFetch: fetch }) => {
    const sdk = load(import("@ai-sdk/deepseek"), ({ createDeepSeek }) =>
      createDeepSeek({ apiKey, ...at(baseUrl), fetch }),
    );
    return {
      ...common("deepseek", apiKey),
      languageModel: async (model) => (await sdk()).chat(model),
      readList: readBearerList(fetch, `${baseUrl ?? "https://api.deepseek.com"}/models`, apiKey),
    };
  },
  azure: ({ apiKey, baseUrl = "", chatFetch: fetch }) => {
    const baseURL = withoutSlash(baseUrl);
    const sdk = load(import("@ai-sdk/azure"), ({ createAzure }) => createAzure({ apiKey, baseURL, fetch }));
    // The package adds the version itself, but only for Azure's own hosts.
    const isAzure = baseURL.endsWith(".azure.com/openai");
    const url = `${baseURL}${isAzure ? "/v1" : ""}/models`;
    return {
      ...common("azure", apiKey),
      // Model names are deployment names. Every chat deployment has this API.
      languageModel: async (model) => (await sdk()).chat(model),
      readList: async (signal) => {
        const list = await fetchList(fetch, url, { headers: { "api-key": apiKey }, signal });
        // These are the models that could be deployed, not the deployments.
        return { listings: [], count: toRows(list)?.length };
      },
    };
  },
  bedrock: ({ apiKey, baseUrl = bedrockUrl("us-east-1"), fetch }) => {
    const baseURL = withoutSlash(baseUrl);
    const region = /bedrock-runtime\.([a-z0-9-]+)\./.exec(baseURL)?.[1] ?? "us-east-1";
    const sdk = load(import("@ai-sdk/amazon-bedrock"), ({ createAmazonBedrock }) =>
      createAmazonBedrock({ apiKey, region, baseURL, fetch }),
    );
    const url = `${baseURL.replace("//bedrock-runtime.", "//bedrock.")}/foundation-models`;
    return {
      ...common("bedrock", apiKey),
      languageModel: async (model) => (await sdk()).languageModel(model),
      readList: readBearerList(fetch, url, apiKey),
    };
  },
};

export const bedrockUrl = (region: string): string => `https://bedrock-runtime.${region}.amazonaws.com`;

const common = (id: KeyedProvider, apiKey: string) => ({
  label: keyedProviders[id].label,
  secrets: [apiKey],
  namespace: id,
  saysFinish: true,
  callOptions: asReasoning,
});

const readBearerList =
  (fetch: Fetch, url: string, apiKey: string): Provider["readList"] =>
  async (signal) => {
    const list = await fetchList(fetch, url, { headers: { authorization: `Bearer ${apiKey}` }, signal });
    return { listings: toListings(list), count: toRows(list)?.length };
  };
