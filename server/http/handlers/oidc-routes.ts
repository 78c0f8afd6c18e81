import type { Context, Hono } from "hono";
import { ApiError } from "../../../protocol/errors.ts";
import type { Oidc } from "../../sign-in/sign-in.ts";
import type { Env, Identify } from "../api-routes.ts";
import type { RequestHead } from "../guard.ts";
import { toRequestHead } from "../identify.ts";
import type { OwnCookies } from "../own-cookies.ts";
import { securityHeaders } from "../reply.ts";

const START = "/api/sign-in/oidc";
const CALLBACK = `${START}/callback`;

/** null: there is no provider. */
export type OidcRoutes = Pick<Oidc, "start" | "complete"> | null;

type Options = {
  readonly oidc: OidcRoutes;
  readonly identify: Identify;
  readonly addressOf: (context: Context<Env>) => string;
  readonly cookies: Pick<OwnCookies, "read">;
};

export const noProvider = (): ApiError =>
  new ApiError("invalid", "This server has no provider to sign in with. Its operator can set STONECHAT_OIDC_ISSUER.");

/** True if the provider sends the browser back: a top-level navigation from another site. It is accepted only with the cookie of its start. */
export const isOidcReturn = ({ method, path, header }: RequestHead): boolean =>
  method === "GET" &&
  path === CALLBACK &&
  (header("sec-fetch-mode") ?? "navigate") === "navigate" &&
  (header("sec-fetch-dest") ?? "document") === "document" &&
  (header("accept") ?? "").includes("text/html");

/** Redirects to the provider and back. `?to=PATH` is opened after it; `?link=1` links the sign-in to the user's account. */
export function addOidcRoutes(app: Hono<Env>, { oidc, identify, addressOf, cookies }: Options): void {
  app.get(START, async (context) => {
    if (!oidc) throw noProvider();
    const { to, link } = context.req.query();
    const principal = link === "1" ? await identify(context, "admin") : undefined;
    const { url, cookie } = await oidc.start({ to, ...(principal ? { principal } : {}) });
    return redirect(url, [cookie]);
  });
  app.get(CALLBACK, async (context) => {
    if (!oidc) throw noProvider();
    const search = new URL(context.req.url).search.slice(1);
    const browser = { address: addressOf(context), agent: context.req.header("user-agent") ?? "" };
    const { to, cookies: changed } = await oidc.complete(search, cookies.read(toRequestHead(context)), browser);
    return redirect(to, changed);
  });
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ ...securityHeaders, "cache-control": "no-store", location });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}
