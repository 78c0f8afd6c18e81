import type { Body, Response as Answer } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { PlanAudit } from "../auth/audit.ts";
import type { Sessions } from "../auth/authenticate.ts";
import { getBrowserSession, type Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import { randomKey, randomVersion } from "../lib/random.ts";
import { createSealedValue } from "../lib/sealed-value.ts";
import type { Seal } from "../lib/seal.ts";
import type { Log } from "../log/log.ts";
import type { Store, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { Proof } from "./proof.ts";
import { planRecoveryCodes } from "./recovery-codes.ts";
import { findStep, toBase32, toKeyUri, totp } from "./totp.ts";

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly planAudit: PlanAudit;
  readonly sessions: Pick<Sessions, "planEndOthers">;
  readonly proof: Proof;
  readonly getOwn: (principal: Principal) => Promise<RowOf<"accounts">>;
};

/** A key that is not in use yet: sealed, and passed back by the session that asked for it. */
type Offer = { readonly account: string; readonly session: string; readonly secret: string };

const OFFER_MS = 15 * 60_000;

/** The user's authenticator app and recovery codes. Every change needs a recent proof. */
export type Authenticators = ReturnType<typeof createAuthenticators>;

export function createAuthenticators(options: Options) {
  const { store, log, clock, seal, planAudit, sessions, proof, getOwn } = options;
  const { read } = store;
  const offers = createSealedValue<Offer>({ seal, clock, kind: "authenticator", lifeMs: OFFER_MS });

  const assertHas = async ({ userId }: Principal): Promise<void> => {
    if (!(await read.authenticator(userId))) throw new ApiError("not-found", "Your account has no authenticator app.");
  };

  return {
    describe: async ({ userId }: Principal): Promise<Answer<"getFactors">["authenticator"]> => {
      const row = await read.authenticator(userId);
      if (!row) return null;
      return { createdAt: row.created_at, recoveryCodesLeft: (await read.recoveryCodesOf(userId)).length };
    },

    start: async (principal: Principal): Promise<Answer<"startAuthenticator">> => {
      await proof.assertRecent(principal);
      const { id, email, password } = await getOwn(principal);
      if (password === "") {
        throw new ApiError(
          "invalid",
          "Codes are asked for after a password, and your account has none. Set one first.",
        );
      }
      if (await read.authenticator(id)) throw existing();
      const secret = randomKey(totp.secretBytes);
      const key = toBase32(Buffer.from(secret, "base64url"));
      const state = offers.seal({ account: id, session: getBrowserSession(principal), secret });
      return { key, uri: toKeyUri(key, email), state };
    },

    add: async (
      principal: Principal,
      { state, code }: Body<"addAuthenticator">,
    ): Promise<Answer<"addAuthenticator">> => {
      await proof.assertRecent(principal);
      const offer = offers.unseal(state);
      const account = principal.userId;
      if (offer?.account !== account || offer.session !== getBrowserSession(principal)) {
        throw new ApiError("invalid", "This key has expired. Start again to get another one.");
      }
      const step = getStep(offer, code, clock);
      const { codes, writes } = planRecoveryCodes(seal, account);
      const others = await sessions.planEndOthers(principal);
      const detail = { ended: others.ended };
      const row = { account, secret: seal.encrypt(offer.secret), last_step: step, created_at: clock.now() };
      const result = await log.commit({
        events: [],
        writes: [
          planLock(principal),
          { do: "insert", table: "authenticators", row },
          ...writes,
          ...others.writes,
          ...planAudit({ action: "authenticator-added", actor: principal, target: account, detail }),
        ],
      });
      if (result.ok) return { recoveryCodes: codes, ended: others.ended };
      throw result.why === "conflict" ? existing() : ended();
    },

    remove: async (principal: Principal): Promise<{ ended: number }> => {
      await proof.assertRecent(principal);
      await assertHas(principal);
      const account = principal.userId;
      const others = await sessions.planEndOthers(principal);
      const detail = { ended: others.ended };
      const { ok } = await log.commit({
        events: [],
        writes: [
          planLock(principal),
          { do: "delete", table: "authenticators", where: { account } },
          { do: "delete", table: "recovery_codes", where: { account } },
          ...others.writes,
          ...planAudit({ action: "authenticator-removed", actor: principal, target: account, detail }),
        ],
      });
      if (ok) return { ended: others.ended };
      throw ended();
    },

    createRecoveryCodes: async (principal: Principal): Promise<{ recoveryCodes: string[] }> => {
      await proof.assertRecent(principal);
      await assertHas(principal);
      const account = principal.userId;
      const { codes, writes } = planRecoveryCodes(seal, account);
      const { ok } = await log.commit({
        events: [],
        writes: [
          planLock(principal),
          ...writes,
          ...planAudit({ action: "recovery-codes-created", actor: principal, target: account }),
        ],
      });
      if (ok) return { recoveryCodes: codes };
      throw ended();
    },
  };
}

function getStep({ secret }: Offer, code: string, clock: Clock): number {
  const digits = code.replaceAll(/\s/g, "");
  const step = findStep(Buffer.from(secret, "base64url"), digits, { timeMs: clock.now(), lastStep: 0 });
  if (step !== undefined) return step;
  throw new ApiError(
    "forbidden",
    "Wrong code. Enter the one that the app shows now, and check the time of your device.",
  );
}

/** So that two changes of one account run one after the other. The batch fails with `missing` if it was suspended. */
const planLock = ({ userId }: Principal): Write => ({
  ...{ do: "update", table: "accounts", set: { changed_at: randomVersion() }, expectOne: true },
  where: { id: userId, state: "active" },
});

const existing = () =>
  new ApiError("conflict", "Your account has an authenticator app already. Turn it off before you add another one.");

const ended = () => new ApiError("unauthenticated", "Your session has ended. Sign in again.");
