import { createHash } from "node:crypto";
import type { Body } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { PlanAudit } from "../auth/audit.ts";
import type { Clock } from "../lib/clock.ts";
import { createSealedCookie } from "../lib/sealed-value.ts";
import type { Seal } from "../lib/seal.ts";
import type { Log } from "../log/log.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { Browser, SignedIn } from "./accounts.ts";
import { WRONG_CODE, type createCodeCheck } from "./code-check.ts";

type Row = RowOf<"accounts">;

/** A sign-in whose password was right and whose code is missing. */
type Pending = {
  readonly account: string;
  /** Hash of the stored password. A sign-in that was begun with an older one cannot be completed. */
  readonly password: string;
  readonly method: "password" | "reset";
};

/** The answer to a password that was right: signed in, or a code is needed. */
export type FirstStep = SignedIn | { readonly value: { readonly next: "code" }; readonly cookie: string };

type Options = {
  readonly read: Pick<Reads, "account" | "authenticator">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly planAudit: PlanAudit;
  readonly checkCode: ReturnType<typeof createCodeCheck>;
  readonly planSignIn: (
    row: Row,
    browser: Browser,
    method: Pending["method"],
  ) => Promise<{ readonly writes: readonly Write[]; readonly signedIn: SignedIn }>;
};

const LIFE_MS = 5 * 60_000;
const START_AGAIN = "This sign-in has expired or was started in another browser. Enter your password again.";

/**
 * The second step of a sign-in with a password, for accounts with an authenticator app. The state between the steps is a sealed cookie of
 * the browser, so strangers cannot make the server store anything, and no other browser can continue.
 */
export function createSecondFactor({ read, log, clock, seal, planAudit, checkCode, planSignIn }: Options) {
  const cookie = createSealedCookie<Pending>({
    ...{ seal, clock, kind: "stonechat-sign-in", lifeMs: LIFE_MS, sameSite: "Strict" },
  });

  return {
    isNeeded: async (accountId: string): Promise<boolean> => (await read.authenticator(accountId)) !== undefined,

    /** The answer that asks for the code. `row` has the password that was right. */
    ask: (row: Row, browser: Pick<Browser, "https">, method: Pending["method"]): FirstStep => ({
      value: { next: "code" },
      cookie: cookie.create({ account: row.id, password: toHash(row.password), method }, browser.https),
    }),

    complete: async ({ code }: Body<"signInWithCode">, browser: Browser) => {
      const pending = cookie.read(browser.cookies);
      const row = pending && (await read.account(pending.account));
      const isOpen = row?.state === "active" && toHash(row.password) === pending?.password;
      // An admin may have removed the authenticator in the meantime.
      if (!isOpen || (await read.authenticator(row.id)) === undefined) throw new ApiError("conflict", START_AGAIN);
      const used = await checkCode(row, code, browser.address);
      const { writes, signedIn } = await planSignIn(row, browser, pending?.method ?? "password");
      const actor = { userId: row.id, address: browser.address };
      const where = { id: row.id, password: row.password, state: "active" } as const;
      const { ok } = await log.commit({
        events: [],
        writes: [
          // Not if the password changed or the code was used since they were compared.
          { do: "update", table: "accounts", set: { signed_in_at: clock.now() }, where, expectOne: true },
          ...used.writes,
          ...writes,
          ...planAudit({ action: "signed-in", actor, target: row.id, detail: { with: used.with } }),
        ],
      });
      if (!ok) {
        const now = await read.account(row.id);
        if (now?.state !== "active" || now.password !== row.password) throw new ApiError("conflict", START_AGAIN);
        throw new ApiError("unauthenticated", WRONG_CODE);
      }
      return { value: signedIn.value, cookie: [signedIn.cookie, cookie.clear(browser.https)] };
    },
  };
}

const toHash = (text: string): string => createHash("sha256").update(text).digest("base64url");
