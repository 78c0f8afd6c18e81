import { z } from "zod";
import { Sentences } from "../run.ts";

/** A hosted provider, or an OpenAI-compatible server. Model ids begin with it. */
export const ProviderId = z.union([
  z.enum([
    "openrouter",
    "openai",
    "anthropic",
    "google",
    "mistral",
    "xai",
    "groq",
    "deepseek",
    "azure",
    "bedrock",
    "compatible",
  ]),
  z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, "an id has lower-case letters, digits and hyphens"),
]);
export type ProviderId = z.infer<typeof ProviderId>;

/** Result of asking a provider for its models. `text` explains it to the user. */
const testOutcomes = ["ok", "no-key", "refused-key", "no-network", "wrong-address", "failed"] as const;

export const ProviderTest = z.object({
  outcome: z.enum(testOutcomes),
  /** Number of models it listed; null unless it answered. */
  models: z.number().nullable(),
  text: z.string(),
  sentences: Sentences.optional(),
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
  id: ProviderId,
  label: z.string(),
  /** `server`: an OpenAI-compatible server, of which there may be several. */
  kind: z.enum(["hosted", "server"]),
  /** The environment variable that an operator sets instead. */
  variable: z.string(),
  key: z.enum(settingSources),
  keySetAt: z.number().nullable(),
  /** Whether the user can set an address: for model servers, Azure and Bedrock. For others only the environment can. */
  takesAddress: z.boolean(),
  address: z.enum(settingSources),
  baseUrl: z.string().nullable(),
  /** Entered by the user; empty: the provider's own list is used. */
  modelNames: z.array(z.string()),
  /** Names of additional headers. Their values are stored encrypted and never returned. */
  headers: z.array(z.string()),
  /** It has everything it needs to be used. */
  isReady: z.boolean(),
  /** Number of its models that can be selected now. */
  models: z.number(),
  /** Why it cannot be used, or that the environment overrides these settings. */
  note: z.string().nullable(),
  lastTest: ProviderTest.nullable(),
  /** Whether it answered with this key. Only then can one of its models be the default. */
  isProven: z.boolean(),
});
export type Provider = z.infer<typeof Provider>;

const none = z.object({});
const provider = z.object({ provider: ProviderId });
/** A provider key as it is typed or pasted. */
export const ProviderKey = z
  .string()
  .trim()
  .min(1, "a key needs some text")
  .max(10_000)
  .regex(/^[\x21-\x7e]+$/, "this does not look like a key, because it contains spaces or unusual characters");
const ModelName = z
  .string()
  .trim()
  .min(1)
  .max(180)
  .regex(/^[\x21-\x7e]+$/, "the name of a model is plain ASCII without spaces");
/** Names that the connection itself sets, or that would replace the key. */
const reservedHeader =
  /^(?:host|connection|content-length|content-type|transfer-encoding|te|upgrade|trailer|expect|proxy-.*)$/i;
/** Additional headers of a server, for keys and tenants. */
export const Headers = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, "a header name has letters, digits and hyphens")
      .refine((name) => !reservedHeader.test(name), "this header cannot be set"),
    z
      .string()
      .trim()
      .min(1)
      .max(4000)
      .regex(/^[\x20-\x7e]+$/, "a header value is plain ASCII"),
  )
  .refine((headers) => Object.keys(headers).length <= 20, "at most 20 headers");
/** A model server that runs on the same machine as Stonechat. */
export const LocalServer = z.object({
  /** The id that it gets when it is added. */
  id: ProviderId,
  label: z.string(),
  baseUrl: z.string(),
  models: z.number(),
  isAdded: z.boolean(),
});
export type LocalServer = z.infer<typeof LocalServer>;
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
  findLocalServers: {
    summary: "Model servers on the machine of this server, such as Ollama, if they may be used",
    params: none,
    query: none,
    body: null,
    status: 200,
    /** `allowed`: false if the server has a token or accounts, so that it has not looked for any. */
    response: z.object({ servers: z.array(LocalServer), allowed: z.boolean() }),
  },
  setProviderKey: {
    summary: "Store a provider's key, encrypted. It is never returned; its models are available at once on every node",
    params: provider,
    query: none,
    body: z.object({ key: ProviderKey }).strict(),
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
    summary:
      "Set the address of an OpenAI-compatible server, of Azure or of Bedrock, with model names if it does not list them. An unknown id adds a server",
    params: provider,
    query: none,
    body: z
      .object({
        baseUrl: z.string().trim().min(1).max(2000),
        models: z.array(ModelName).max(100).default([]),
        /** The server's name; by default its id. */
        label: z.string().trim().min(1).max(60).optional(),
        /** Absent: unchanged. They belong to the address, as the key does. */
        headers: Headers.optional(),
      })
      .strict(),
    ...one,
  },
  removeProviderAddress: {
    summary: "Remove an address that was set here, with its key and headers",
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
