import { setTimeout as pause } from "node:timers/promises";

const [LOOK_MS, LIMIT_MS] = [20, 180_000];

/** Polls until the condition holds. Only for state without an event; otherwise wait for the event. */
export async function until(what: string, test: () => Promise<boolean>, limitMs = LIMIT_MS): Promise<void> {
  const limit = AbortSignal.timeout(limitMs);
  while (!(await test())) {
    if (limit.aborted) throw new Error(`timed out after ${limitMs} ms waiting until ${what}`);
    await pause(LOOK_MS);
  }
}
