import { ApiError } from "../../protocol/errors.ts";
import { getBrowserSession, type Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Reads, Write } from "../store/contract.ts";

const PROOF_MS = 10 * 60_000;

/**
 * Whether the user of a session has proved recently who they are, by signing in or with a password or passkey. Changes of passkeys and
 * second factors need it, so that a browser that was left open, or a stolen session, is not enough.
 */
export type Proof = ReturnType<typeof createProof>;

type Options = { readonly read: Pick<Reads, "sessions">; readonly clock: Pick<Clock, "now"> };

export function createProof({ read, clock }: Options) {
  return {
    /** Throws `unconfirmed` if the proof is too old. */
    assertRecent: async (principal: Principal): Promise<void> => {
      const [row] = await read.sessions([getBrowserSession(principal)]);
      if (row?.owner === principal.userId && row.proved_at > clock.now() - PROOF_MS) return;
      throw new ApiError("unconfirmed", "Confirm with your password or a passkey that it is you, and try again.");
    },
    /** The batch fails with `missing` if the session has ended. */
    plan: (principal: Principal): Write => ({
      do: "update",
      table: "sessions",
      set: { proved_at: clock.now() },
      where: { id_hash: getBrowserSession(principal), owner: principal.userId },
      expectOne: true,
    }),
  };
}
