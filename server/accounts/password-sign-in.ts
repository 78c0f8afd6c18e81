import type { Body } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { PlanAudit } from "../auth/audit.ts";
import type { Clock } from "../lib/clock.ts";
import { randomVersion } from "../lib/random.ts";
import type { Log } from "../log/log.ts";
import type { Reads } from "../store/contract.ts";
import type { Browser } from "./accounts.ts";
import { findLink, planUse, toEmailId } from "./links.ts";
import { assertGoodPassword, type HashPassword } from "./passwords.ts";
import type { createSecondFactor, FirstStep } from "./second-factor.ts";
import type { SessionPlans } from "./session-plans.ts";
import { addNetwork, type createPasswordCheck, WRONG_PASSWORD } from "./sign-in.ts";
import { NO_LINK } from "./sign-up.ts";

const MAX_TRIES = 5;

type Options = {
  readonly read: Pick<Reads, "account" | "linkByHash">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly planAudit: PlanAudit;
  readonly planSession: SessionPlans["planSession"];
  readonly checkPassword: ReturnType<typeof createPasswordCheck>;
  readonly secondFactor: ReturnType<typeof createSecondFactor>;
  readonly assertSetUp: () => Promise<void>;
  readonly hashNew: HashPassword;
};

/** Signing in with a password, and with a reset link that sets a new one. Either may still need a code. */
export function createPasswordSignIn(options: Options) {
  const { read, log, clock, planAudit, planSession, secondFactor } = options;

  return {
    signIn: async ({ email, password }: Body<"signIn">, browser: Browser): Promise<FirstStep> => {
      await options.assertSetUp();
      if (email === undefined || password === undefined) {
        throw new ApiError("invalid", "Send an email address and a password.");
      }
      const { password: checked, id } = await options.checkPassword(email, password, browser.address);
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        // Read before the second factor: the commit fails if one is added in the meantime.
        const row = await read.account(id);
        if (row?.state !== "active" || row.password !== checked) throw new ApiError("unauthenticated", WRONG_PASSWORD);
        if (await secondFactor.isNeeded(id)) return secondFactor.ask(row, browser, "password");
        const { writes, signedIn } = await planSession(id, browser, "password");
        const actor = { userId: id, address: browser.address };
        const { ok } = await log.commit({
          events: [],
          writes: [
            {
              do: "update",
              table: "accounts",
              set: { signed_in_at: clock.now(), networks: addNetwork(row, browser.address) },
              // Not if the account was suspended or its password changed since it was compared.
              where: { id, password: checked, state: "active", changed_at: row.changed_at },
              expectOne: true,
            },
            ...writes,
            ...planAudit({ action: "signed-in", actor, target: id }),
          ],
        });
        if (ok) return signedIn;
      }
      throw new ApiError("busy", "The account is being changed by many requests at once. Try again in a moment.");
    },

    resetPassword: async ({ token, password }: Body<"resetPassword">, browser: Browser): Promise<FirstStep> => {
      const link = await findLink(read, clock, { kind: "reset", token });
      const row = link?.account ? await read.account(link.account) : undefined;
      if (!link || row?.state !== "active") throw new ApiError("not-found", NO_LINK);
      assertGoodPassword(password, row);
      const changed = { password: await options.hashNew(password, browser.address), changed_at: randomVersion() };
      const needsCode = await secondFactor.isNeeded(row.id);
      const { writes, signedIn } = await planSession(row.id, browser, "reset");
      const actor = { userId: row.id, address: browser.address };
      const signIn = { signed_in_at: clock.now(), networks: addNetwork(row, browser.address) };
      const set = { ...changed, ...(needsCode ? {} : signIn) };
      const { ok } = await log.commit({
        events: [],
        writes: [
          ...planUse(link),
          {
            do: "update",
            table: "accounts",
            set,
            // Not if a second factor was added in the meantime.
            where: { id: row.id, state: "active", changed_at: row.changed_at },
            expectOne: true,
          },
          { do: "delete", table: "sessions", where: { owner: row.id } },
          { do: "delete", table: "push_subscriptions", where: { owner: row.id } },
          { do: "delete", table: "api_keys", where: { owner: row.id } },
          // An attacker who had the account may have requested it.
          { do: "delete", table: "links", where: { id: toEmailId(row.id) } },
          ...(needsCode ? [] : writes),
          ...planAudit({ action: "password-reset", actor, target: row.id }),
        ],
      });
      if (!ok && (await findLink(read, clock, { kind: "reset", token }))) {
        throw new ApiError("conflict", "The account was changed at the same time. Try again.");
      }
      if (!ok) throw new ApiError("not-found", NO_LINK);
      return needsCode ? secondFactor.ask({ ...row, ...changed }, browser, "reset") : signedIn;
    },
  };
}
