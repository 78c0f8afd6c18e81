import { createHash } from "node:crypto";
import type { Clock } from "../lib/clock.ts";
import type { Reads, Write } from "../store/contract.ts";

const SWEEP_BATCH = 100;

/**
 * Uses up the random value of a sign-in. A batch that uses one again fails with `conflict`, on any node. Also removes values that have
 * expired.
 */
export async function planUseOfState(
  state: string,
  expiresAt: number,
  { read, clock }: { readonly read: Pick<Reads, "expiredStates">; readonly clock: Pick<Clock, "now"> },
): Promise<readonly Write[]> {
  const hash = createHash("sha256").update(state).digest("base64url");
  const expired = await read.expiredStates(clock.now(), SWEEP_BATCH);
  return [
    ...expired.map((row): Write => ({ do: "delete", table: "used_states", where: { hash: row.hash } })),
    { do: "insert", table: "used_states", row: { hash, expires_at: expiresAt } },
  ];
}
