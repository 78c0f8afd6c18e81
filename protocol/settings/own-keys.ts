import { z } from "zod";
import { ProviderId, ProviderKey, ProviderTest } from "./providers.ts";

/**
 * A provider as one user has it, on a server with accounts. A stored key is never returned: only that there is one, and since when.
 */
export const OwnProvider = z.object({
  id: ProviderId,
  label: z.string(),
  /** The key that the user's model calls are made with: their own, this server's, or none. */
  applies: z.enum(["own", "server", "none"]),
  hasOwnKey: z.boolean(),
  keySetAt: z.number().nullable(),
  /** Number of models that the user can select now. */
  models: z.number(),
  /** Why the user's key is not used: the operator changed the provider's address, or the key cannot be decrypted. */
  problem: z.enum(["other-address", "unreadable"]).nullable(),
  lastTest: ProviderTest.nullable(),
});
export type OwnProvider = z.infer<typeof OwnProvider>;

const none = z.object({});
const provider = z.object({ provider: ProviderId });
const one = { status: 200, response: z.object({ provider: OwnProvider }) } as const;

export const ownKeyApi = {
  listOwnProviders: {
    summary: "Providers that accept your own key, and which key your model calls are made with",
    params: none,
    query: none,
    body: null,
    status: 200,
    /** `allowed`: false if an admin has turned own keys off. Stored keys are then not used. */
    response: z.object({ allowed: z.boolean(), providers: z.array(OwnProvider) }),
  },
  setOwnKey: {
    summary: "Store your own key of a provider, encrypted. It is never returned, and used for your model calls only",
    params: provider,
    query: none,
    body: z.object({ key: ProviderKey }).strict(),
    ...one,
  },
  removeOwnKey: {
    summary: "Remove your own key of a provider. This server's key is used again if there is one",
    params: provider,
    query: none,
    body: null,
    ...one,
  },
  testOwnKey: {
    summary: "Test your own key by asking the provider for its models. This may take seconds",
    params: provider,
    query: none,
    body: none,
    ...one,
  },
  setOwnKeysAllowed: {
    summary: "Choose whether users may use their own provider keys",
    params: none,
    query: none,
    body: z.object({ allowed: z.boolean() }).strict(),
    status: 200,
    response: z.object({ allowed: z.boolean() }),
  },
} as const;
