import { z } from "zod";
import { ClientId } from "../ids.ts";
import { scopes } from "../scopes.ts";
import { Text } from "../text.ts";

export const keyLimits = { perUser: 200, nameCharacters: 100 } as const;

/** An API key as its owner sees it. The token itself is returned only by `createKey`. */
export const ApiKey = z.object({
  id: z.string(),
  name: z.string(),
  /** The first characters of the token, to recognize it. */
  start: z.string(),
  scopes: z.array(z.enum(scopes)),
  createdAt: z.number(),
  /** null: never. */
  expiresAt: z.number().nullable(),
  /** To the minute; null: not used yet. */
  usedAt: z.number().nullable(),
});
export type ApiKey = z.infer<typeof ApiKey>;

const none = z.object({});

export const keyApi = {
  listKeys: {
    summary: "Your API keys, newest first. Expired keys are listed until they are revoked",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ keys: z.array(ApiKey) }),
  },
  createKey: {
    summary: "Create an API key. Its token is returned only here: the server stores a hash",
    params: none,
    query: none,
    body: z
      .object({
        id: ClientId,
        name: Text.trim().min(1).max(keyLimits.nameCharacters),
        scopes: z.array(z.enum(scopes)).min(1, "a key needs at least one scope").max(scopes.length),
        /** Milliseconds since 1970; null or omitted: it does not expire. */
        expiresAt: z.int().min(0).nullable().optional(),
      })
      .strict(),
    status: 201,
    response: z.object({ key: ApiKey, token: z.string() }),
  },
  revokeKey: {
    summary: "Revoke an API key. It is refused from now on, and its open streams end",
    params: z.object({ keyId: ClientId }),
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
} as const;
