import { threadStream } from "../../protocol/ids.ts";
import { sleep } from "../lib/sleep.ts";
import type { Write } from "../store/contract.ts";
import { StorageFull, Unavailable } from "../store/failure.ts";
import type { RunDeps } from "./run-context.ts";

type Release = {
  readonly threadId: string;
  /** The epoch of the lease. If another process has claimed the thread since, nothing is written. */
  readonly epoch: number;
  /** This process keeps running, so the next claim of the run does not count a crash. */
  readonly isHandedOver: boolean;
  readonly isDraining: () => boolean;
};

const [FIRST_WAIT_MS, MAX_WAIT_MS] = [50, 1_000];

/**
 * Releases the lease of a thread whose drive failed. During an outage of the database this waits until the database is back:
 * otherwise the lease would expire, and the outage would count as a crash of the server. Never rejects.
 */
export async function releaseThread(
  { log }: Pick<RunDeps, "log">,
  { threadId, epoch, isHandedOver, isDraining }: Release,
): Promise<void> {
  const fence = { stream: threadStream(threadId), epoch, release: true as const };
  const handOver: Write = {
    do: "update",
    table: "runs",
    set: { handed_over: 1 },
    where: { thread: threadId, ended: 0 },
  };
  const writes = isHandedOver ? [handOver] : [];
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    const error = await log.commit({ fence, events: [], writes }).then(
      () => undefined,
      (failed: unknown) => failed,
    );
    if (!isOutage(error) || isDraining()) return;
    await sleep(waitMs);
  }
}

export const isOutage = (error: unknown): boolean => error instanceof Unavailable || error instanceof StorageFull;
