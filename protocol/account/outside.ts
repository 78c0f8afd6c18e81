import { z } from "zod";
import { Email, LinkToken } from "./accounts.ts";

const none = z.object({});

/** A user of the provider who may sign in to this account. */
export const Identity = z.object({
  id: z.string(),
  issuer: z.string(),
  /** The address or name that the provider has for the user. */
  label: z.string(),
  createdAt: z.number(),
  usedAt: z.number(),
});
export type Identity = z.infer<typeof Identity>;

/** Sign-in with a provider of OpenID Connect, and links by mail. */
export const outsideApi = {
  startOidc: {
    summary: "Begin a sign-in with the provider. Open `url` in the same browser, which gets a cookie",
    params: none,
    query: none,
    body: z
      .object({
        /** An invitation to accept with the provider instead of a password. */
        invitation: LinkToken.optional(),
        /** Path of this server to return to. */
        to: z.string().max(2000).optional(),
      })
      .strict(),
    status: 200,
    response: z.object({ url: z.string() }),
  },
  listIdentities: {
    summary: "Users of the provider who may sign in to your account",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ identities: z.array(Identity), provider: z.object({ name: z.string() }).nullable() }),
  },
  removeIdentity: {
    summary: "Stop a user of the provider from signing in to your account",
    params: z.object({ identityId: z.string().regex(/^[\w-]{1,128}$/, "not an id") }),
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
  requestReset: {
    summary: "Send a password reset link to an address, if an account has it. The response is always the same",
    params: none,
    query: none,
    body: z.object({ email: Email }).strict(),
    status: 200,
    response: none,
  },
  requestSignUp: {
    summary: "Send a link that creates an account, if the address may sign up. The response is always the same",
    params: none,
    query: none,
    body: z.object({ email: Email }).strict(),
    status: 200,
    response: none,
  },
} as const;
