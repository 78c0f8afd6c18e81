import { request, type IncomingMessage } from "node:http";
import type { Start } from "../../scenarios/settings/on-both.ts";
import { findFreePort } from "../free-port.ts";
import { accountsOn, setUp } from "./accounts-instance.ts";
import { authorizeAs, clientSecret, startOidcServer } from "./oidc-server.ts";

/** A server with accounts and a provider, and an admin. */
export async function startWithOidc(start: Start, env: Readonly<Record<string, string>> = {}) {
  const port = await findFreePort();
  const oidc = await startOidcServer([`http://127.0.0.1:${port}/api/sign-in/oidc/callback`]);
  const instance = await start({
    env: {
      ...accountsOn,
      STONECHAT_PORT: String(port),
      STONECHAT_OIDC_ISSUER: oidc.issuer,
      STONECHAT_OIDC_CLIENT_ID: "stonechat",
      STONECHAT_OIDC_CLIENT_SECRET: clientSecret,
      STONECHAT_OIDC_NAME: "Example Login",
      ...env,
    },
  });
  return { ...instance, oidc, ada: await setUp(instance) };
}

export type Jar = { readonly cookies: Map<string, string> };

/** A browser that keeps cookies and follows no redirects. */
export const createJar = (): Jar => ({ cookies: new Map() });

const cookieOf = ({ cookies }: Jar): string => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");

/** A navigation. Not by `fetch`, which sets its own `Sec-Fetch-Mode`. */
export async function visit(jar: Jar, url: string, headers: Record<string, string> = {}) {
  const sent = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", ...headers };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(url, { headers: { cookie: cookieOf(jar), ...sent } }, resolve)
    .on("error", reject)
    .end();
  const response = await promise;
  const setCookies = response.headers["set-cookie"] ?? [];
  keepCookies(jar, setCookies);
  let body = "";
  for await (const chunk of response) body += String(chunk);
  return {
    status: response.statusCode ?? 0,
    location: response.headers.location ?? null,
    setCookies,
    text: body,
  };
}

export function keepCookies({ cookies }: Jar, setCookies: readonly string[]): void {
  for (const one of setCookies) {
    const [name = "", value = ""] = one.split(";")[0]?.split(/=(.*)/s) ?? [];
    if (one.includes("Max-Age=0")) cookies.delete(name);
    else cookies.set(name, value);
  }
}

/** Starts a sign-in and authorizes it as this user of the provider. Returns the address of the callback. */
export async function startAs(url: string, jar: Jar, sub: string, query = ""): Promise<string> {
  const started = await visit(jar, `${url}/api/sign-in/oidc${query}`);
  if (started.status !== 303) throw new Error(`The start answered ${started.status}: ${started.text}`);
  return authorizeAs(started.location ?? "", sub);
}

/** The whole sign-in. */
export async function oidcSignIn(url: string, sub: string, { jar = createJar(), query = "" } = {}) {
  const callback = await startAs(url, jar, sub, query);
  return { ...(await visit(jar, callback, { "sec-fetch-site": "cross-site" })), jar, callback };
}

export const me = async (url: string, jar: Jar): Promise<{ status: number; body: Record<string, unknown> }> => {
  const response = await fetch(`${url}/api/me`, { headers: { cookie: cookieOf(jar) } });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
