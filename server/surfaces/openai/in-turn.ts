import type { ThreadEvent } from "../../../protocol/events.ts";
import { ApiError } from "../../../protocol/errors.ts";
import { threadStream } from "../../../protocol/ids.ts";
import type { Watch } from "../../log/types.ts";
import type { Reads } from "../../store/contract.ts";
import { toThreadEvent } from "../../store/parse-rows.ts";
import { findTurn } from "./admit-request.ts";

type Deps = { readonly read: Reads; readonly watch: Watch; readonly waitMs?: number };

/** Below the minute after which many proxies close a connection without data. */
const MOST_WAIT_MS = 50_000;
/** Attempts in a thread that is free: each fails only if another request was first. */
const MOST_RACES = 20;
const RETRY_SECONDS = 2;

/**
 * Repeats a request while its thread is answering another one: waits until an answer ends, and admits one request after another.
 * After a while it throws `conflict`.
 */
export async function askInTurn<T>(
  { read, watch, waitMs = MOST_WAIT_MS }: Deps,
  threadId: string,
  gone: AbortSignal,
  attempt: () => Promise<T>,
): Promise<T> {
  const end = AbortSignal.any([gone, AbortSignal.timeout(waitMs)]);
  let races = 0;
  for (;;) {
    const turn = await watchTurn({ read, watch }, threadId, end);
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "conflict" || gone.aborted) throw error;
      const thread = await read.thread(threadId);
      const isFree = thread !== undefined && (await findTurn(read, thread)) !== undefined;
      if (!thread || (isFree && (races += 1) >= MOST_RACES)) throw error;
      if (!isFree) {
        await turn.changed;
        races = 0;
      }
      if (end.aborted) throw stillBusy();
    } finally {
      turn.close();
    }
  }
}

const stillBusy = (): ApiError => {
  const message = "The thread is still answering another request. Send this one again when that answer has ended.";
  return new ApiError("conflict", message, undefined, RETRY_SECONDS);
};

/** `changed` resolves when the thread may be free. Watched from before an attempt, so that no change is missed. */
async function watchTurn({ read, watch }: Pick<Deps, "read" | "watch">, threadId: string, end: AbortSignal) {
  const stream = threadStream(threadId);
  const { head } = await read.lease(stream);
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  const onEnd = (): void => resolve();
  if (end.aborted) resolve();
  end.addEventListener("abort", onEnd);
  const watcher = watch(stream, head, {
    rows: (rows) => {
      if (rows.some((row) => turns.has(toThreadEvent(row).type))) resolve();
      return true;
    },
  });
  const close = (): void => {
    end.removeEventListener("abort", onEnd);
    watcher.close();
  };
  return { changed, close };
}

/** A run that waits for results of the caller's tools is free, too. */
const turns: ReadonlySet<ThreadEvent["type"]> = new Set([
  ...(["run-stepped", "run-ended", "input-withdrawn", "thread-deleted"] as const),
]);
