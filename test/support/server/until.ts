import { setTimeout as pause } from "node:timers/promises";

const [LOOK_MS, LIMIT_MS] = [20, 60_000];

/** Looks again and again until it is so. For what tells nobody when it changes; where there is an event, wait for that. */
export async function until(what: string, test: () => Promise<boolean>): Promise<void> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  while (!(await test())) {
    if (limit.aborted) throw new Error(`waited ${LIMIT_MS} ms in vain until ${what}`);
    await pause(LOOK_MS);
  }
}
