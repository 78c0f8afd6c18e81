import type { Response as Answer } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { ApiKeys, Sessions } from "../auth/authenticate.ts";
import type { Principal } from "../auth/principal.ts";
import { DAY_MS, type Clock } from "../lib/clock.ts";
import type { Reads } from "../store/contract.ts";
import type { AccountLimits } from "./limits.ts";
import type { People } from "./people.ts";

type Options = {
  readonly read: Pick<Reads, "storedBytesOf" | "spentSince" | "account">;
  readonly clock: Clock;
  readonly people: Pick<People, "get">;
  readonly limits: Pick<AccountLimits, "find" | "setPerson">;
  readonly apiKeys: Pick<ApiKeys, "list" | "revoke">;
  readonly sessions: Pick<Sessions, "list" | "endOne">;
};

/** One account as admins see it: how much it uses, never what. Routes check the role before. */
export type PersonDetails = ReturnType<typeof createPersonDetails>;

export function createPersonDetails({ read, clock, people, limits, apiKeys, sessions }: Options) {
  const assertExists = async (userId: string): Promise<void> => {
    if (!(await read.account(userId))) throw new ApiError("not-found", "Not found.");
  };
  return {
    /** Without the projects of the account. */
    get: async (principal: Principal, userId: string): Promise<Omit<Answer<"getPerson">, "projects">> => {
      const person = await people.get(userId);
      const now = clock.now();
      const owner = userId === principal.userId ? principal : { userId };
      const [found, stored, day, { keys }, open] = await Promise.all([
        limits.find(userId),
        read.storedBytesOf(userId),
        read.spentSince([userId], now - (now % DAY_MS)),
        apiKeys.list({ userId }),
        sessions.list(owner),
      ]);
      const spent = { dayUsd: day.get(userId) ?? 0, monthUsd: person.monthUsd };
      return { person, limits: found, spent, stored, keys, sessions: [...open] };
    },

    setLimits: async (principal: Principal, userId: string, wanted: Parameters<AccountLimits["setPerson"]>[2]) => {
      await assertExists(userId);
      await limits.setPerson(principal, userId, wanted);
      return limits.find(userId);
    },

    revokeKey: (principal: Principal, userId: string, keyId: string) => apiKeys.revoke(principal, keyId, userId),

    endSession: (principal: Principal, userId: string, sessionId: string) =>
      sessions.endOne(principal, sessionId, userId),
  };
}
