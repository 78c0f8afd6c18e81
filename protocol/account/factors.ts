import { z } from "zod";
import { Text } from "../text.ts";
import { accountLimits, Password, SignedIn } from "./accounts.ts";

const none = z.object({});

/** Bytes as base64url. The limit is far above the size of an authenticator's response. */
const Encoded = z
  .string()
  .max(20_000)
  .regex(/^[\w-]*$/, "not base64url");
const CredentialId = z
  .string()
  .max(1_400)
  .regex(/^[\w-]+$/, "not a credential id");

/** Options for `navigator.credentials`, in the JSON form of WebAuthn. */
const Options = z.looseObject({ challenge: z.string() });
/** Passes the challenge back to the server. It is readable only there. */
const State = z.string().min(1).max(4_000);

/** What `navigator.credentials.get` returned, in the JSON form of WebAuthn. */
const Assertion = z.object({
  id: CredentialId,
  response: z.object({
    clientDataJSON: Encoded,
    authenticatorData: Encoded,
    signature: Encoded,
    userHandle: Encoded.optional(),
  }),
});
export type Assertion = z.infer<typeof Assertion>;

/** What `navigator.credentials.create` returned, in the JSON form of WebAuthn. */
const Attestation = z.object({
  id: CredentialId,
  response: z.object({
    clientDataJSON: Encoded,
    attestationObject: Encoded,
    transports: z.array(z.string().max(40)).max(20).optional(),
  }),
});
export type Attestation = z.infer<typeof Attestation>;

const PasskeyName = Text.trim().min(1, "enter a name").max(accountLimits.nameCharacters);

export const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.number(),
  /** null: never. */
  usedAt: z.number().nullable(),
});
export type Passkey = z.infer<typeof Passkey>;

const RecoveryCodes = z.object({
  /** Each replaces a code of the authenticator app once. They are returned only here. */
  recoveryCodes: z.array(z.string()),
});
const passkey = z.object({ passkeyId: z.string().regex(/^[\w-]{1,128}$/, "not an id") });

/** Passkeys, authenticator apps and recovery codes. */
export const factorApi = {
  signInWithCode: {
    summary:
      "Complete a sign-in that answered `next: code`, in the same browser: with a code of the authenticator app, or with a recovery code",
    params: none,
    query: none,
    body: z.object({ code: Text.trim().min(1, "enter a code").max(100) }).strict(),
    status: 200,
    response: SignedIn,
  },
  startPasskeySignIn: {
    summary: "Begin a sign-in with a passkey. The browser gets a cookie, and completes it with `signInWithPasskey`",
    params: none,
    query: none,
    body: none,
    status: 200,
    response: z.object({ options: Options }),
  },
  signInWithPasskey: {
    summary: "Sign in with a passkey. It replaces the password and the second factor",
    params: none,
    query: none,
    body: z.object({ credential: Assertion }).strict(),
    status: 200,
    response: SignedIn,
  },
  startConfirmation: {
    summary: "Begin to confirm with a passkey that it is you",
    params: none,
    query: none,
    body: none,
    status: 200,
    response: z.object({ options: Options, state: State }),
  },
  confirmUser: {
    summary:
      "Confirm with your password or a passkey that it is you. Then this session can change passkeys and second factors for ten minutes, as after signing in. Without that they answer 428",
    params: none,
    query: none,
    body: z
      .object({
        password: Password.optional(),
        passkey: z.object({ state: State, credential: Assertion }).strict().optional(),
      })
      .strict(),
    status: 200,
    response: none,
  },
  getFactors: {
    summary: "How you can sign in: password, authenticator app, passkeys",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({
      password: z.boolean(),
      /** null: sign-in with a password needs no code. */
      authenticator: z.object({ createdAt: z.number(), recoveryCodesLeft: z.number() }).nullable(),
      passkeys: z.array(Passkey),
      /** The only address at which passkeys work, if the operator has set one. */
      passkeyOrigin: z.string().nullable(),
    }),
  },
  startAuthenticator: {
    summary: "Create the key for an authenticator app. It is in use after `addAuthenticator`",
    params: none,
    query: none,
    body: none,
    status: 200,
    response: z.object({
      /** To be typed into the app. */
      key: z.string(),
      /** The same for a QR code. */
      uri: z.string(),
      state: State,
    }),
  },
  addAuthenticator: {
    summary: "Require codes of this authenticator app after your password. Ends all your other sessions",
    params: none,
    query: none,
    body: z
      .object({
        state: State,
        /** That the app shows now. */
        code: Text.trim().min(1, "enter a code").max(100),
      })
      .strict(),
    status: 200,
    response: RecoveryCodes.extend({ ended: z.number() }),
  },
  removeAuthenticator: {
    summary: "Require no codes after your password any more. Ends all your other sessions",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ ended: z.number() }),
  },
  createRecoveryCodes: {
    summary: "Create new recovery codes, which replace the earlier ones",
    params: none,
    query: none,
    body: none,
    status: 200,
    response: RecoveryCodes,
  },
  startPasskey: {
    summary: "Begin to add a passkey",
    params: none,
    query: none,
    body: none,
    status: 200,
    response: z.object({ options: Options, state: State }),
  },
  addPasskey: {
    summary: "Add a passkey",
    params: none,
    query: none,
    body: z.object({ state: State, name: PasskeyName, credential: Attestation }).strict(),
    status: 201,
    response: z.object({ passkey: Passkey }),
  },
  renamePasskey: {
    summary: "Rename a passkey",
    params: passkey,
    query: none,
    body: z.object({ name: PasskeyName }).strict(),
    status: 200,
    response: z.object({ passkey: Passkey }),
  },
  removePasskey: {
    summary: "Remove a passkey. Ends all your other sessions",
    params: passkey,
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string(), ended: z.number() }),
  },
} as const;
