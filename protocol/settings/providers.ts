import { z } from "zod";

export const providerIds = ["openrouter", "openai", "anthropic", "google", "compatible"] as const;
export type ProviderId = (typeof providerIds)[number];

/** Result of asking a provider for its models. `text` explains it to the user. */
const testOutcomes = ["ok", "no-key", "refused-key", "no-network", "wrong-address", "failed"] as const;

export const ProviderTest = z.object({
  outcome: z.enum(testOutcomes),
  /** Number of models it listed; null unless it answered. */
  models: z.number().nullable(),
  text: z.string(),
  at: z.number(),
});
export type ProviderTest = z.infer<typeof ProviderTest>;

/** Where a setting comes from: the server's environment, which takes precedence, these settings, or nowhere. */
const settingSources = ["environment", "here", "none"] as const;

/**
 * A model provider. A stored key is never returned, not even its last characters: only that there is one, and since
 * when.
 */
export const Provider = z.object({
  id: z.enum(providerIds),
  label: z.string(),
  /** The environment variable that an operator sets instead. */
  variable: z.string(),
  key: z.enum(settingSources),
  keySetAt: z.number().nullable(),
  /** Only `compatible` accepts an address here; others may have one from the environment. */
  takesAddress: z.boolean(),
  address: z.enum(settingSources),
  baseUrl: z.string().nullable(),
  /** Entered by the user; empty: the provider's own list is used. */
  modelNames: z.array(z.string()),
  /** It has everything it needs to be used. */
  isReady: z.boolean(),
  /** Number of its models that can be selected now. */
  models: z.number(),
  /** Why it cannot be used, or that the environment overrides these settings. */
  note: z.string().nullable(),
  lastTest: ProviderTest.nullable(),
});
export type Provider = z.infer<typeof Provider>;

const none = z.object({});
const provider = z.object({ provider: z.enum(providerIds) });
const Key = z
  .string()
  .trim()
  .min(1, "a key needs some text")
  .max(10_000)
  .regex(/^[\x21-\x7e]+$/, "a key is plain ASCII without spaces");
const ModelName = z
  .string()
  .trim()
  .min(1)
  .max(180)
  .regex(/^[\x21-\x7e]+$/, "the name of a model is plain ASCII without spaces");
const one = { status: 200, response: z.object({ provider: Provider }) } as const;

export const providerApi = {
  listProviders: {
    summary: "Model providers: key status and source, address, and last test",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ providers: z.array(Provider) }),
  },
  setProviderKey: {
    summary: "Store a provider's key, encrypted. It is never returned; its models are available at once on every node",
    params: provider,
    query: none,
    body: z.object({ key: Key }).strict(),
    ...one,
  },
  removeProviderKey: {
    summary: "Remove a key that was set here; a key in the environment stays",
    params: provider,
    query: none,
    body: null,
    ...one,
  },
  setProviderAddress: {
    summary: "Set the address of an OpenAI-compatible server, and its model names if it does not list them",
    params: provider,
    query: none,
    body: z
      .object({
        baseUrl: z.string().trim().min(1).max(2000),
        models: z.array(ModelName).max(100).default([]),
      })
      .strict(),
    ...one,
  },
  removeProviderAddress: {
    summary: "Remove an address that was set here, and its key",
    params: provider,
    query: none,
    body: null,
    ...one,
  },
  testProvider: {
    summary: "Test a provider by asking it for its models with the current key. This may take seconds",
    params: provider,
    query: none,
    body: none,
    ...one,
  },
} as const;
