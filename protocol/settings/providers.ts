import { z } from "zod";

export const providerIds = ["openrouter", "openai", "anthropic", "google", "compatible"] as const;
export type ProviderId = (typeof providerIds)[number];

/** What came of asking a provider for its models. Each has a sentence for the person; `text` is it. */
export const testOutcomes = ["ok", "no-key", "refused-key", "no-network", "wrong-address", "failed"] as const;

export const ProviderTest = z.object({
  outcome: z.enum(testOutcomes),
  /** How many models it named; null unless it answered. */
  models: z.number().nullable(),
  text: z.string(),
  at: z.number(),
});
export type ProviderTest = z.infer<typeof ProviderTest>;

/** Where a setting stands: in the server's environment, which wins, in the settings here, or nowhere. */
export const settingPlaces = ["environment", "here", "none"] as const;

/** A provider of models. A key is never shown again, not even its end: only that there is one, and since when. */
export const Provider = z.object({
  id: z.enum(providerIds),
  label: z.string(),
  /** The variable that an operator sets instead. */
  variable: z.string(),
  key: z.enum(settingPlaces),
  keySetAt: z.number().nullable(),
  /** Only `compatible` takes one here; others may have one from the environment. */
  takesAddress: z.boolean(),
  address: z.enum(settingPlaces),
  baseUrl: z.string().nullable(),
  /** Named by hand; empty: its own list is asked. */
  modelNames: z.array(z.string()),
  /** Whether it is asked at all: it has what it needs. */
  isReady: z.boolean(),
  /** Models of it that can be chosen at the moment. */
  models: z.number(),
  /** What stands in the way, or that the environment wins over what is set here. */
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
    summary: "Providers of models: whether each has a key and by what, its address, and its last test",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ providers: z.array(Provider) }),
  },
  setProviderKey: {
    summary: "Keep a provider's key, sealed. It is never returned; its models answer at once, on every node",
    params: provider,
    query: none,
    body: z.object({ key: Key }).strict(),
    ...one,
  },
  removeProviderKey: {
    summary: "Remove a key that was set here; one of the environment stays",
    params: provider,
    query: none,
    body: null,
    ...one,
  },
  setProviderAddress: {
    summary: "The address of an OpenAI-compatible server, and its models where it has no list of its own",
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
    summary: "Remove an address that was set here, and its key with it",
    params: provider,
    query: none,
    body: null,
    ...one,
  },
  testProvider: {
    summary: "Ask a provider for its models with the key it has, and say what came of it. This may take seconds",
    params: provider,
    query: none,
    body: none,
    ...one,
  },
} as const;
