import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  type ClientAuth,
  type Configuration,
  type CustomFetch,
} from "openid-client";
import { Email, PersonName } from "../../protocol/account/accounts.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import { NetError } from "../net/fetch.ts";
import type { OpenStream } from "../net/open-stream.ts";

/** Statements of the provider about a user. */
export type Claims = {
  readonly issuer: string;
  readonly subject: string;
  /** Only if the provider has verified it. */
  readonly email: string | null;
  readonly name: string | null;
  /** To recognize the user; not verified. */
  readonly label: string;
};

/** Random values of one sign-in. */
export type Challenge = { readonly state: string; readonly nonce: string; readonly verifier: string };

type Options = {
  readonly config: NonNullable<Config["signIn"]["oidc"]>;
  readonly redirectUri: string;
  readonly clock: Clock;
  readonly stream: OpenStream;
  readonly onNote: (note: string) => void;
};

const REQUEST_MS = 10_000;
const MAX_BYTES = 1024 * 1024;
const REFRESH_MS = 3_600_000;

/**
 * Requests to a provider of OpenID Connect: authorization code with PKCE, state and nonce, and a signed ID token. Its metadata is read
 * at the first sign-in, so a provider that is down does not keep the server from starting.
 */
export function createOidcClient({ config, redirectUri, clock, stream, onNote }: Options) {
  let known: { readonly configuration: Promise<Configuration>; readonly until: number } | undefined;

  const getConfiguration = async (): Promise<Configuration> => {
    const now = clock.monotonic();
    if (!known || known.until < now) known = { configuration: discover(config, stream), until: now + REFRESH_MS };
    try {
      return await known.configuration;
    } catch (error) {
      known = undefined;
      throw error;
    }
  };

  /** Details are for the operator: a page shows none of what another server sent. */
  const explain = (error: unknown, otherwise: ApiError): ApiError => {
    const isAway = findNetError(error) !== undefined || (error as Error).name === "TimeoutError";
    onNote(`A sign-in with ${config.issuer} failed: ${findNetError(error)?.message ?? (error as Error).message}`);
    if (!isAway) return otherwise;
    return new ApiError(
      "unavailable",
      `${config.name} cannot be reached. Try again later, or sign in with your password.`,
    );
  };

  return {
    /** The address of the provider's sign-in page. */
    authorize: async ({ state, nonce, verifier }: Challenge): Promise<string> => {
      try {
        const configuration = await getConfiguration();
        const code_challenge = await calculatePKCECodeChallenge(verifier);
        const { href } = buildAuthorizationUrl(configuration, {
          ...{ redirect_uri: redirectUri, scope: config.scopes, state, nonce },
          ...{ code_challenge, code_challenge_method: "S256" },
        });
        return href;
      } catch (error) {
        const text = `${config.name} cannot be used now. Sign in with your password, and ask the operator to look at the log.`;
        throw explain(error, new ApiError("unavailable", text));
      }
    },

    /** Exchanges the code of a callback. */
    exchange: async (search: string, { state, nonce, verifier }: Challenge): Promise<Claims> => {
      try {
        const configuration = await getConfiguration();
        const tokens = await authorizationCodeGrant(configuration, new URL(`${redirectUri}?${search}`), {
          ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
        });
        const claims = tokens.claims();
        if (!claims) throw new Error("The provider sent no ID token.");
        const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
        const more =
          claims["email"] === undefined && hasUserInfo
            ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
            : {};
        return toClaims({ ...more, ...claims });
      } catch (error) {
        const text = `${config.name} did not confirm this sign-in. Start again from the sign-in page.`;
        throw explain(error, new ApiError("invalid", text));
      }
    },
  };
}

export type OidcClient = ReturnType<typeof createOidcClient>;

async function discover(config: Options["config"], stream: OpenStream): Promise<Configuration> {
  const issuer = new URL(config.issuer);
  const configuration = await discovery(issuer, config.clientId, undefined, toClientAuth(config.clientSecret), {
    [customFetch]: toFetch(stream),
    // The configuration accepts plain http only for a loopback address.
    execute: issuer.protocol === "http:" ? [allowInsecureRequests] : [],
  });
  enableNonRepudiationChecks(configuration);
  return configuration;
}

/** The secret goes into the header unless the provider accepts it only in the body. */
function toClientAuth(secret: string | null): ClientAuth {
  if (secret === null) return None();
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const isPostOnly = methods.includes("client_secret_post") && !methods.includes("client_secret_basic");
    (isPostOnly ? post : basic)(server, ...rest);
  };
}

/** Without redirects: no endpoint of OpenID Connect that this server calls has any. */
const toFetch =
  (open: OpenStream): CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const response = await open(url, {
      ...{ method: method === "POST" ? "POST" : "GET", headers, lifeMs: REQUEST_MS, idleMs: REQUEST_MS },
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      ...(signal ? { signal } : {}),
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.byteLength;
      if (size > MAX_BYTES) throw new NetError("too-large", "The response of the provider is too large.");
      chunks.push(chunk);
    }
    return new Response(size === 0 ? null : Buffer.concat(chunks), {
      status: response.status,
      headers: response.headers,
    });
  };

function toClaims(claims: Readonly<Record<string, unknown>>): Claims {
  const text = (key: string): string | undefined => {
    const value = claims[key];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const email = Email.safeParse(text("email")).data ?? null;
  // Some providers send it as a string.
  const isVerified = claims["email_verified"] === true || claims["email_verified"] === "true";
  const name = PersonName.safeParse(text("name") ?? text("preferred_username")).data ?? null;
  return {
    ...{ issuer: text("iss") ?? "", subject: text("sub") ?? "", name, email: isVerified ? email : null },
    label: (email ?? name ?? text("sub") ?? "").slice(0, 254),
  };
}

function findNetError(error: unknown, depth = 0): NetError | undefined {
  if (error instanceof NetError || depth > 5) return error instanceof NetError ? error : undefined;
  return error instanceof Error ? findNetError(error.cause, depth + 1) : undefined;
}
