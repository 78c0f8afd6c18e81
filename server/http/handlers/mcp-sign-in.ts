import { routes } from "../../../protocol/routes.ts";
import { escapeHtml } from "../../lib/escape-html.ts";
import type { RequestHead } from "../guard.ts";

/** Marks the second request, which comes from our own page. */
const RETURNED = "returned";

/**
 * True if an authorization server redirects the browser back to us: a top-level navigation from another site. It does not carry
 * the session cookie, which is `SameSite=Strict`, so the response is a page that opens the same URL again from our origin. The
 * first request reads and changes nothing.
 */
export function isSignInReturn({ method, path, header }: RequestHead): boolean {
  const { method: asked, path: callback } = routes.finishSignIn;
  const mode = header("sec-fetch-mode") ?? "navigate";
  const destination = header("sec-fetch-dest") ?? "document";
  return method === asked && path === callback && mode === "navigate" && destination === "document" && isPage(header);
}

/** undefined: this is not such a redirect, or it is the second request. */
export function findReturnPage(head: RequestHead, query: string): string | undefined {
  const hasCookies = ["same-origin", "none"].includes(head.header("sec-fetch-site") ?? "");
  if (!isSignInReturn(head) || hasCookies || new URLSearchParams(query).has(RETURNED)) return undefined;
  const next = `${head.path}?${query}&${RETURNED}=1`;
  return toPage("Signing in…", `<meta http-equiv="refresh" content="0;url=${escapeHtml(next)}">`);
}

export const signedInPage = (): string => toPage("You are signed in. You can close this tab.", "");

const isPage = (header: RequestHead["header"]): boolean => (header("accept") ?? "").includes("text/html");

const toPage = (text: string, head: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Stonechat</title>
${head}
<style>
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 32rem; margin: 20vh auto 0; padding: 0 1.5rem }
</style>
<main>
  <h1>${text}</h1>
  <p><a href="/settings/tools">Go to settings</a></p>
</main>
</html>
`;
