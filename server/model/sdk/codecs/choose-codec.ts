import type { CacheRule, Codec } from "./codec.ts";

/** The codec for a model, by its provider's namespace and the model's name at that provider. */
export const chooseCodec = (namespace: string, name: string): Codec => {
  const model = `${namespace}/${name}`;
  const common = { namespace, model, ...plain };
  switch (namespace) {
    case "anthropic":
      return {
        ...common,
        users: "blocks",
        gluesTexts: false,
        callIds: anthropicIds,
        acceptsMetadata: hasAny("signature", "redactedData"),
        cache: cacheOf(name),
      };
    case "openai":
      return {
        ...common,
        users: "apart",
        gluesTexts: false,
        acceptsMetadata: hasAny("itemId", "reasoningEncryptedContent"),
      };
    case "google":
      return { ...common, gluesTexts: false };
    default:
      return {
        ...common,
        ...familyRules(namespace, name),
        ...(namespace === "openrouter" ? { acceptsMetadata: hasDetails } : {}),
      };
  }
};

/** OpenAI accepts at most 64 characters. Only Mistral accepts fewer. */
const plainIds = { fits: /^[\x21-\x7e]{1,64}$/, characters: 32 };
const anthropicIds = { fits: /^[a-zA-Z0-9_-]{1,64}$/, characters: 32 };
/** Mistral's API rejects any other form. */
const mistralIds = { fits: /^[a-zA-Z0-9]{9}$/, characters: 9 };

const plain = {
  users: "joined",
  gluesTexts: true,
  callIds: plainIds,
  afterTools: null,
  plainReasoning: false,
  acceptsMetadata: () => true,
  cache: null,
} as const;

type Metadata = Readonly<Record<string, unknown>>;

const hasAny =
  (...names: readonly string[]) =>
  (metadata: Metadata): boolean =>
    names.some((name) => (metadata[name] ?? null) !== null);

/** OpenRouter's package drops reasoning if all its details lack the signature that their format needs. */
const hasDetails = ({ reasoning_details: details }: Metadata): boolean =>
  Array.isArray(details) &&
  details.some(
    ({ type, format, signature }: Metadata) =>
      type !== "reasoning.text" || Boolean(signature) || !isSigned.test(String(format ?? "anthropic-claude-v1")),
  );

const isSigned = /^(?:anthropic-claude-v1|google-gemini-v1)$/;

const isMistral = /mistral|ministral|magistral|devstral|codestral|pixtral/i;
/** Both reject a call that is sent back without its `reasoning_content`. */
const wantsReasoning = /deepseek|kimi/i;
const isAnthropic = /^anthropic\//;

/** Rules by model family, for servers that offer many families at one address. */
const familyRules = (namespace: string, name: string): Partial<Codec> => {
  // "Unexpected role 'user' after role 'tool'": an answer is required between them.
  if (namespace === "mistral" || isMistral.test(name)) return { callIds: mistralIds, afterTools: "Done." };
  if (wantsReasoning.test(name)) return { plainReasoning: true };
  if (namespace === "openrouter" && isAnthropic.test(name)) {
    return { callIds: anthropicIds, cache: { ...cacheOf(name), openingOnly: true } };
  }
  return {};
};

/**
 * At most four marks in a request, and none below the model's minimum size: see "Prompt caching" in Anthropic's
 * documentation and the documentation of @ai-sdk/anthropic 4.0.102.
 */
const cacheOf = (name: string): CacheRule => ({ maxMarks: 4, minTokens: minTokensOf(name), openingOnly: false });

const minTokensOf = (name: string): number => {
  if (/haiku-4[-.]5|opus-4[-.][567]/.test(name)) return 4096;
  return /3[-.]5-haiku|haiku-3|3-haiku/.test(name) ? 2048 : 1024;
};
