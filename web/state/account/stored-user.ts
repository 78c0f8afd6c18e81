import type { Response } from "../../../protocol/api.ts";
import type { BrowserStorage } from "../../lib/storage.ts";
import { languageKey } from "../../strings/language.ts";
import { looks } from "../look.ts";
import { readUser, userKey } from "./follow-user.ts";

/** Set in browser storage while a proxy signs users in. The proxy may sign in a different user at any time. */
const byProxyKey = "by-proxy";

/** Settings of the browser, for all its users. */
const shared: ReadonlySet<string> = new Set([...Object.keys(looks), languageKey, userKey, byProxyKey]);

/**
 * Call after a sign-in, before the page is loaded again. Several accounts may use one browser: drafts and unsent messages in its
 * storage belong to the account that signed in last, and those of other accounts are stored under their user's id until it signs
 * in again.
 */
export function switchUser(storage: BrowserStorage, userId: string, now: () => number = Date.now): void {
  const before = readUser(storage);
  const own = `of.${userId}.`;
  if (before !== null && before !== userId) {
    for (const key of storage.keys(""))
      if (!shared.has(key) && !key.startsWith("of.")) move(storage, key, `of.${before}.${key}`);
    for (const key of storage.keys(own)) move(storage, key, key.slice(own.length));
  }
  // The time makes every sign-in a change that other tabs notice.
  storage.set(userKey, `${userId} ${now()}`);
}

type Me = Pick<Response<"getMe">, "mode" | "userId" | "signIn">;

/** In the address after a sign-in with a provider. */
const signedIn = "#signed-in";

/** Returns whether the page must be loaded again, because it shows what another user has stored in this browser. */
export function adoptUser(storage: BrowserStorage, { mode, userId, signIn }: Me): boolean {
  const before = readUser(storage);
  storage.set(byProxyKey, signIn === "proxy" ? "1" : null);
  if (mode !== "accounts" || before === userId) return false;
  switchUser(storage, userId);
  return before !== null;
}

/**
 * Call before the page is created. If a provider or a proxy may have signed in another user, asks the server who it is, so that drafts
 * and unsent messages of the earlier user are not sent as those of the next.
 */
export async function confirmUser(storage: BrowserStorage, getMe: () => Promise<Me>): Promise<void> {
  const isNew = location.hash === signedIn;
  if (isNew) history.replaceState(null, "", location.pathname + location.search);
  if (!isNew && storage.get(byProxyKey) === null) return;
  const me = await getMe().catch(() => null);
  if (me) adoptUser(storage, me);
}

function move(storage: BrowserStorage, from: string, to: string): void {
  storage.set(to, storage.get(from));
  storage.set(from, null);
}
