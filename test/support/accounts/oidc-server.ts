import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import { onTestFinished } from "vitest";
import { findFreePort } from "../free-port.ts";

export type OidcUser = {
  readonly sub: string;
  readonly email?: string;
  readonly verified?: boolean;
  readonly name?: string;
};

/** A real OpenID Connect provider on loopback. Its sign-in page asks for a `sub`, without a password. */
export type OidcServer = {
  readonly issuer: string;
  readonly users: Map<string, OidcUser>;
  /** Requests that reached it, as `METHOD path`. */
  readonly requests: string[];
  readonly close: () => Promise<void>;
};

export const clientSecret = "a-secret-of-the-oidc-client";

/** Serves one user's sign-in: follow `url` until the provider redirects to the callback, and return that address. */
export async function authorizeAs(url: string, sub: string): Promise<string> {
  const jar = new Map<string, string>();
  let next = url;
  let init: RequestInit = {};
  for (let hops = 0; hops < 12; hops += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(next, { ...init, redirect: "manual", headers: { cookie, ...init.headers } });
    for (const one of response.headers.getSetCookie()) {
      const [name = "", value = ""] = one.split(";")[0]?.split(/=(.*)/s) ?? [];
      jar.set(name, value);
    }
    init = {};
    const location = response.headers.get("location");
    if (location !== null) {
      next = new URL(location, next).href;
      if (next.includes("/api/sign-in/oidc/callback")) return next;
      continue;
    }
    const action = /action="([^"]+)"/.exec(await response.text())?.[1] ?? "";
    if (action === "") throw new Error(`The provider answered ${response.status} at ${next}`);
    next = new URL(action, next).href;
    init = {
      method: "POST",
      body: new URLSearchParams({ sub }),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    };
  }
  throw new Error("The provider redirects for ever.");
}

export async function startOidcServer(
  redirectUris: readonly string[],
  options: { readonly port?: number } = {},
): Promise<OidcServer> {
  const port = options.port ?? (await findFreePort());
  const issuer = `http://127.0.0.1:${port}`;
  const users = new Map<string, OidcUser>();
  const requests: string[] = [];
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "stonechat",
        client_secret: clientSecret,
        redirect_uris: [...redirectUris],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    cookies: { keys: ["a-key-for-tests"] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => {
      const user = users.get(sub);
      return {
        accountId: sub,
        claims: () => ({
          sub,
          ...(user?.email === undefined ? {} : { email: user.email, email_verified: user.verified ?? true }),
          ...(user?.name === undefined ? {} : { name: user.name }),
        }),
      };
    },
    loadExistingGrant: async (context) => {
      const grant = new context.oidc.provider.Grant({
        clientId: context.oidc.client?.clientId ?? "",
        accountId: context.oidc.session?.accountId ?? "",
      });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  provider.proxy = false;
  const callback = provider.callback();
  const server: Server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.split("?")[0]}`);
    const uid = /^\/interaction\/([\w-]+)$/.exec(request.url ?? "")?.[1];
    if (uid === undefined) return void callback(request, response);
    if (request.method === "GET") {
      response.setHeader("content-type", "text/html");
      response.end(
        `<!doctype html><title>Provider</title><form method="post" action="/interaction/${uid}">
         <label>User <input name="sub"></label><button>Continue</button></form>`,
      );
      return undefined;
    }
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const accountId = new URLSearchParams(body).get("sub") ?? "";
      const result =
        accountId === "denied" ? { error: "access_denied", error_description: "<b>no</b>" } : { login: { accountId } };
      void provider.interactionFinished(request, response, result);
    });
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  if ((server.address() as AddressInfo).port !== port) throw new Error("The provider listens on another port.");
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(() => (server.listening ? close() : undefined));
  return { issuer, users, requests, close };
}
