import { SESSION_SECONDS, toCookie, type Sessions } from "../auth/authenticate.ts";
import type { Clock } from "../lib/clock.ts";
import type { Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { Browser, SignedIn } from "./accounts.ts";
import { addNetwork } from "./sign-in.ts";

type Options = {
  readonly clock: Clock;
  readonly sessions: Sessions;
};

type Method = Parameters<Sessions["planOpen"]>[1]["method"];

/** Plans the session of a sign-in, and the cookie of its browser. */
export type SessionPlans = ReturnType<typeof createSessionPlans>;

export function createSessionPlans({ clock, sessions }: Options) {
  const planSession = async (userId: string, browser: Browser, method: Method) => {
    const { https, ...where } = browser;
    const { id, writes } = await sessions.planOpen(userId, { ...where, method });
    const signedIn: SignedIn = { value: { userId }, cookie: toCookie(id, SESSION_SECONDS, https) };
    return { writes, signedIn };
  };

  /** For other ways to sign in. The batch fails with `missing` if the account was suspended. */
  const planSignIn = async (row: RowOf<"accounts">, browser: Browser, method: Method) => {
    const { writes, signedIn } = await planSession(row.id, browser, method);
    const set = { signed_in_at: clock.now(), networks: addNetwork(row, browser.address) };
    const update = { do: "update", table: "accounts", set, where: { id: row.id, state: "active" } } as const;
    return { writes: [{ ...update, expectOne: true }, ...writes] satisfies Write[], signedIn };
  };

  return { planSession, planSignIn };
}
