import { ApiError } from "../../protocol/errors.ts";
import type { Browser } from "../accounts/accounts.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import { randomKey } from "../lib/random.ts";
import type { Seal } from "../lib/seal.ts";
import { createSealedCookie } from "../lib/sealed-value.ts";
import type { Log } from "../log/log.ts";
import type { Store } from "../store/contract.ts";
import type { Identities } from "./identities.ts";
import type { Challenge, OidcClient } from "./oidc-client.ts";
import { toReturnPath } from "./return-path.ts";
import { planUseOfState } from "./used-states.ts";

/** A sign-in that the provider has not answered yet: sealed in a cookie, so that only this browser can complete it. */
type Pending = Challenge & {
  /** Path to return to. */
  readonly to: string;
  readonly expiresAt: number;
  /** The user who links the identity, and their session. */
  readonly link?: { readonly userId: string; readonly session: string };
  /** The token of an invitation that is being accepted. */
  readonly invitation?: string;
};

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly client: OidcClient;
  readonly identities: Identities;
  /** Returns those of these sessions that have ended. */
  readonly findEnded: (sessions: readonly string[]) => Promise<readonly string[]>;
  readonly assertSetUp: () => Promise<void>;
  /** Throws unless the user has proved recently who they are. */
  readonly assertRecentProof: (principal: Principal) => Promise<void>;
  /** Whether browsers use TLS. */
  readonly isHttps: boolean;
};

type Start = {
  readonly to?: string | undefined;
  readonly invitation?: string | undefined;
  readonly principal?: Principal;
};

const LIFE_MS = 10 * 60_000;
const EXPIRED =
  "This sign-in was started in another browser, was completed already or has expired. Start again from the sign-in page.";

/**
 * Sign-in with a provider of OpenID Connect. `start` returns the provider's address and a cookie; the callback is accepted once, from the
 * browser with the cookie, within ten minutes. So no one can complete a sign-in in the browser of another user.
 */
export type Oidc = ReturnType<typeof createOidc>;

export function createOidc(options: Options) {
  const { store, log, clock, seal, client, identities, findEnded, assertSetUp, isHttps } = options;
  // `Lax`, because the provider sends the browser back from another site.
  const cookie = createSealedCookie<Pending>({
    ...{ seal, clock, kind: "stonechat-oidc", lifeMs: LIFE_MS, sameSite: "Lax" },
  });

  /** Throws unless this is the first use. */
  const consume = async ({ state, expiresAt }: Pending): Promise<void> => {
    const { ok } = await log.commit({
      events: [],
      writes: await planUseOfState(state, expiresAt, { read: store.read, clock }),
    });
    if (!ok) throw new ApiError("invalid", EXPIRED);
  };

  const finish = async (pending: Pending, search: string, browser: Omit<Browser, "https">) => {
    const claims = await client.exchange(search, pending);
    if (!pending.link) {
      return (await identities.signIn(claims, { ...browser, https: isHttps }, pending.invitation ?? null)).cookie;
    }
    const { userId, session } = pending.link;
    if ((await findEnded([session])).length > 0) {
      throw new ApiError("unauthenticated", "Your session has ended. Sign in again and link the sign-in once more.");
    }
    await identities.link({ userId, session, address: browser.address }, claims);
    return undefined;
  };

  return {
    /** With a principal: links the identity to their account. */
    start: async ({ to, invitation, principal }: Start): Promise<{ readonly url: string; readonly cookie: string }> => {
      await assertSetUp();
      if (principal && principal.session === undefined) {
        throw new ApiError("forbidden", "Only the page can link a sign-in. Open the settings in your browser.");
      }
      if (principal) await options.assertRecentProof(principal);
      const challenge: Challenge = { state: randomKey(32), nonce: randomKey(32), verifier: randomKey(32) };
      const pending: Pending = {
        ...{ ...challenge, to: toReturnPath(to), expiresAt: clock.now() + LIFE_MS },
        ...(principal?.session === undefined ? {} : { link: { userId: principal.userId, session: principal.session } }),
        ...(invitation === undefined ? {} : { invitation }),
      };
      const url = await client.authorize(challenge);
      return { url, cookie: cookie.create(pending, isHttps) };
    },

    /** Completes a sign-in. Returns the path to open and the cookies to set. */
    complete: async (
      search: string,
      cookies: string | undefined,
      browser: Omit<Browser, "https">,
    ): Promise<{ readonly to: string; readonly cookies: readonly string[] }> => {
      const pending = cookie.read(cookies);
      const parameters = new URLSearchParams(search);
      if (!pending || parameters.get("state") !== pending.state) throw new ApiError("invalid", EXPIRED);
      await consume(pending);
      if (parameters.has("error")) {
        throw new ApiError(
          "forbidden",
          "The provider refused this sign-in. Start again, or sign in with your password.",
        );
      }
      const session = await finish(pending, search, browser);
      // The page then knows that its stored drafts may be of another user.
      const to = session === undefined ? pending.to : `${pending.to}#signed-in`;
      return { to, cookies: [cookie.clear(isHttps), ...(session === undefined ? [] : [session])] };
    },
  };
}
