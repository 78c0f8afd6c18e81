import type { ApiError } from "../../../protocol/errors.ts";
import type { Accounts } from "../../accounts/accounts.ts";
import type { OutsideSignIn } from "../../sign-in/sign-in.ts";
import type { Handlers, OpenHandlers } from "../route-types.ts";

type FactorRoute =
  | "getFactors"
  | "startConfirmation"
  | "confirmUser"
  | "startAuthenticator"
  | "addAuthenticator"
  | "removeAuthenticator"
  | "createRecoveryCodes"
  | "startPasskey"
  | "addPasskey"
  | "renamePasskey"
  | "removePasskey";

/** Throws on a server without accounts. */
type GetModules = () => { readonly accounts: Accounts; readonly passkeys: OutsideSignIn["passkeys"] };

/** Handlers of the user's passkeys and second factors. */
export function createFactorHandlers(getModules: GetModules): Pick<Handlers, FactorRoute> {
  return {
    getFactors: async ({ principal }) => {
      const { accounts, passkeys } = getModules();
      const { password } = await accounts.own.getOwn(principal);
      return {
        password: password !== "",
        authenticator: await accounts.authenticators.describe(principal),
        passkeys: await passkeys.list(principal),
        passkeyOrigin: passkeys.publicOrigin,
      };
    },
    startConfirmation: async ({ principal, origin }) => getModules().passkeys.startConfirmation(principal, origin),
    confirmUser: async ({ principal, body: { password, passkey } }) => {
      const { accounts, passkeys } = getModules();
      if (passkey !== undefined) await passkeys.confirm(principal, passkey);
      else if (password !== undefined) await accounts.own.confirm(principal, password);
      else await accounts.proof.assertRecent(principal);
      return {};
    },
    startAuthenticator: async ({ principal }) => getModules().accounts.authenticators.start(principal),
    addAuthenticator: async ({ principal, body }) => getModules().accounts.authenticators.add(principal, body),
    removeAuthenticator: async ({ principal }) => getModules().accounts.authenticators.remove(principal),
    createRecoveryCodes: async ({ principal }) => getModules().accounts.authenticators.createRecoveryCodes(principal),
    startPasskey: async ({ principal, origin }) => getModules().passkeys.start(principal, origin),
    addPasskey: async ({ principal, body }) => getModules().passkeys.add(principal, body),
    renamePasskey: async ({ principal, params, body }) =>
      getModules().passkeys.rename(principal, params.passkeyId, body.name),
    removePasskey: async ({ principal, params }) => getModules().passkeys.remove(principal, params.passkeyId),
  };
}

type OpenFactorRoute = "signInWithCode" | "startPasskeySignIn" | "signInWithPasskey";

export const createFactorOpenHandlers = (
  accounts: Accounts,
  passkeys: OutsideSignIn["passkeys"],
): Pick<OpenHandlers, OpenFactorRoute> => ({
  signInWithCode: ({ body, browser }) => accounts.signInWithCode(body, browser),
  startPasskeySignIn: ({ browser }) => passkeys.startSignIn(browser),
  signInWithPasskey: ({ body, browser }) => passkeys.signIn(body, browser),
});

/** On a server without accounts. */
export const createNoFactorHandlers = (refuse: () => ApiError): Pick<OpenHandlers, OpenFactorRoute> => ({
  signInWithCode: () => Promise.reject(refuse()),
  startPasskeySignIn: () => Promise.reject(refuse()),
  signInWithPasskey: () => Promise.reject(refuse()),
});
