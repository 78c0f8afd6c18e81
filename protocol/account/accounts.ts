import { z } from "zod";
import { roles } from "../roles.ts";
import { Text } from "../text.ts";

export const accountLimits = { nameCharacters: 100, emailCharacters: 254, inputCharacters: 1000 } as const;

const none = z.object({});

/** Control characters and marks that change the direction of text could make one name look like another. */
const misleading = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

export const PersonName = Text.trim()
  .min(1, "enter a name")
  .max(accountLimits.nameCharacters)
  .refine((name) => !misleading.test(name), "a name cannot contain control characters");
/** Stored in lower case. The form is that of an email field in HTML: no mail is sent to it. */
export const Email = Text.trim()
  .toLowerCase()
  .max(accountLimits.emailCharacters)
  .regex(/^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*$/, "enter an email address, such as name@example.com");
/** The rules for new passwords are checked by the server, which says what to change. */
export const Password = Text.min(1, "enter a password").max(accountLimits.inputCharacters);
/** The part of a link after `#`. */
export const LinkToken = z.string().regex(/^[\w-]{43}$/, "not a valid link");

/** How requests get credentials. `none`: this machine needs none. `setup`: there is no admin yet. */
const SignInKind = z.enum(["none", "token", "password", "setup"]);
const Mode = z.enum(["personal", "accounts"]);

export const Account = z.object({ name: z.string(), email: z.string(), role: z.enum(roles) });
export type Account = z.infer<typeof Account>;

export const SignedIn = z.object({ userId: z.string() });
/** The password is right, and a second factor is needed: continue with `signInWithCode`. */
const CodeNeeded = z.object({ next: z.literal("code") });

/** A browser that is signed in. */
export const SessionView = z.object({
  id: z.string(),
  /** The session of this request. */
  current: z.boolean(),
  createdAt: z.number(),
  /** To the hour. */
  usedAt: z.number(),
  expiresAt: z.number(),
  /** The browser's `User-Agent`, shortened; empty if unknown. */
  agent: z.string(),
  /** The address from which it signed in; empty if unknown. */
  address: z.string(),
  method: z.enum(["token", "password", "setup", "invitation", "reset", "oidc", "passkey"]),
});
export type SessionView = z.infer<typeof SessionView>;

export const accountApi = {
  getMe: {
    summary: "The current user and the features of this instance",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({
      userId: z.string(),
      mode: Mode,
      /** null without accounts. Then the user may do everything. */
      account: Account.nullable(),
      /** `proxy`: a proxy in front of the server has signed the user in. */
      signIn: z.enum([...SignInKind.options, "proxy"]),
      defaultModel: z.string(),
      /** As in the settings for all threads. */
      timeZone: z.string().nullable(),
      version: z.string(),
    }),
  },
  getInstance: {
    summary: "Which form a browser must show before sign-in",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({
      mode: Mode,
      signIn: SignInKind,
      /** The provider that users may also sign in with. */
      oidc: z.object({ name: z.string() }).optional(),
      /** The only address at which passkeys work, if the operator has set one. */
      passkeyOrigin: z.string().optional(),
      /** The server sends mail: users can reset passwords with it. */
      mail: z.literal(true).optional(),
      /** Users can create an account with a link by mail. */
      signUp: z.literal(true).optional(),
    }),
  },
  signIn: {
    summary: "Exchange the instance's token, or an email address and a password, for a session cookie",
    params: none,
    query: none,
    body: z.object({
      /** Required if the server has no accounts. */
      token: z.string().min(1).max(accountLimits.inputCharacters).optional(),
      /** Required with the password if the server has accounts. */
      email: Text.trim().toLowerCase().min(1).max(accountLimits.emailCharacters).optional(),
      password: Password.optional(),
    }),
    status: 200,
    response: z.union([SignedIn, CodeNeeded]),
  },
  signOut: { summary: "End the session", params: none, query: none, body: none, status: 200, response: none },
  setUp: {
    summary: "Create the first admin, with the link that the server prints at its start. Signs in",
    params: none,
    query: none,
    body: z.object({ token: LinkToken, name: PersonName, email: Email, password: Password }).strict(),
    status: 200,
    response: SignedIn,
  },
  openInvitation: {
    summary: "Read an invitation by the token of its link. Unknown, used and expired ones are not found",
    params: none,
    query: none,
    body: z.object({ token: LinkToken }).strict(),
    status: 200,
    response: z.object({
      /** null: the invited person chooses it. */
      email: z.string().nullable(),
      role: z.enum(roles),
      expiresAt: z.number(),
    }),
  },
  acceptInvitation: {
    summary: "Create an account with an invitation, which can be used once. Signs in",
    params: none,
    query: none,
    body: z.object({ token: LinkToken, name: PersonName, email: Email, password: Password }).strict(),
    status: 200,
    response: SignedIn,
  },
  resetPassword: {
    summary:
      "Set a new password with a reset link, which can be used once. Ends all sessions of the account and signs in, after a code if the account has a second factor",
    params: none,
    query: none,
    body: z.object({ token: LinkToken, password: Password }).strict(),
    status: 200,
    response: z.union([SignedIn, CodeNeeded]),
  },
  changeAccount: {
    summary:
      "Change your name or email address. A new address needs the password, or a sign-in or confirmation within the last ten minutes (428). If the server sends mail, it is used once the link that was sent to it is opened",
    params: none,
    query: none,
    body: z.object({ name: PersonName.optional(), email: Email.optional(), password: Password.optional() }).strict(),
    status: 200,
    response: z.object({
      account: Account,
      /** The new address that has to be confirmed with the link that was sent to it. */
      pendingEmail: z.string().nullable(),
    }),
  },
  confirmEmail: {
    summary: "Confirm a new email address with the link that was sent to it, which can be used once",
    params: none,
    query: none,
    body: z.object({ token: LinkToken }).strict(),
    status: 200,
    response: z.object({ email: z.string() }),
  },
  changePassword: {
    summary:
      "Change your password, or set one if your account has none and you have confirmed that it is you. Ends all your other sessions",
    params: none,
    query: none,
    body: z
      .object({
        /** If the account has a password. */
        current: Password.optional(),
        next: Password,
        /** Whether your API keys are revoked, too. Default: they stay valid. */
        revokeKeys: z.boolean().optional(),
      })
      .strict(),
    status: 200,
    response: z.object({ ended: z.number() }),
  },
  listSessions: {
    summary: "Your browser sessions, most recently used first",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ sessions: z.array(SessionView) }),
  },
  endSession: {
    summary: "End one of your sessions. Its open streams end",
    params: z.object({ sessionId: z.string().regex(/^[\w-]{1,64}$/, "not a session id") }),
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
  endOtherSessions: {
    summary: "End all your sessions except the one of this request",
    params: none,
    query: none,
    body: none,
    status: 200,
    response: z.object({ ended: z.number() }),
  },
} as const;
