/** Providers that need a key, in the order of the settings page. */
export const keyedProviders = {
  openrouter: { label: "OpenRouter", variable: "OPENROUTER_API_KEY" },
  openai: { label: "OpenAI", variable: "OPENAI_API_KEY" },
  anthropic: { label: "Anthropic", variable: "ANTHROPIC_API_KEY" },
  google: { label: "Google", variable: "GOOGLE_GENERATIVE_AI_API_KEY" },
  mistral: { label: "Mistral", variable: "MISTRAL_API_KEY" },
  xai: { label: "xAI", variable: "XAI_API_KEY" },
  groq: { label: "Groq", variable: "GROQ_API_KEY" },
  deepseek: { label: "DeepSeek", variable: "DEEPSEEK_API_KEY" },
  azure: { label: "Azure OpenAI", variable: "AZURE_API_KEY" },
  bedrock: { label: "Amazon Bedrock", variable: "AWS_BEARER_TOKEN_BEDROCK" },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly variable: string }>>;

export type KeyedProvider = keyof typeof keyedProviders;

export const isKeyed = (provider: string): provider is KeyedProvider => Object.hasOwn(keyedProviders, provider);

/** A key alone is not enough: the resource's address is needed too. */
export const needsAddress = (provider: string): boolean => provider === "azure";

/** The providers whose address the settings page can set. */
export const takesAddress = (provider: string): boolean =>
  !isKeyed(provider) || provider === "azure" || provider === "bedrock";

/** Providers for which users can have their own keys. The others need an address, which is set for everyone. */
export const ownKeyProviders = [
  "openrouter",
  "openai",
  "anthropic",
  "google",
  "mistral",
  "xai",
  "groq",
  "deepseek",
] as const satisfies readonly KeyedProvider[];

export type OwnKeyProvider = (typeof ownKeyProviders)[number];

export const takesOwnKey = (provider: string): provider is OwnKeyProvider =>
  ownKeyProviders.some((one) => one === provider);
