import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { ApiError } from "../../../protocol/errors.ts";
import type { ServerProcess } from "../../support/server-process.ts";
import { query } from "../../support/server/database.ts";
import { OWN_ROLE, readEffects } from "../../support/server/effects.ts";
import { followThread } from "../../support/server/event-stream.ts";
import type { Act, History, ThreadHistory } from "./history.ts";
import { countOpen, type TalkedThread } from "./traffic.ts";

type Source = { readonly acts: readonly Act[]; readonly threads: readonly TalkedThread[] };

const [QUIET_LIMIT_MS, QUIET_LOOK_MS] = [180_000, 50];

/** Waits, up to a limit, until no run is active or queued, then reads the complete history for the check. */
export async function readHistory(server: ServerProcess, { acts, threads }: Source): Promise<History> {
  await waitForQuiet(server, threads);
  const rows = await query<{ object: string; count: number | string }>(
    server,
    "select object, count(*) as count from members where role = ? group by object",
    [OWN_ROLE],
  );
  const histories: ThreadHistory[] = [];
  for (const thread of threads) histories.push(await readThread(server, thread));
  return {
    acts,
    threads: histories,
    effects: readEffects(server.dataDir),
    ownRows: new Map(rows.map(({ object, count }) => [object, Number(count)])),
  };
}

/** A client's view may be behind, so the server is asked whether all runs have ended. */
async function waitForQuiet({ client }: ServerProcess, threads: readonly TalkedThread[]): Promise<void> {
  const limit = AbortSignal.timeout(QUIET_LIMIT_MS);
  for (const { threadId } of threads) {
    while (!limit.aborted) {
      const snapshot = await client.getThread({ params: { threadId }, query: { limit: 1 } });
      if (countOpen(snapshot) === 0) break;
      // Parked after its client had closed the thread: the user comes back and presses Retry.
      if (snapshot.run?.state === "parked") await retry(client, threadId);
      await pause(QUIET_LOOK_MS);
    }
  }
}

const retry = (client: ServerProcess["client"], threadId: string): Promise<unknown> =>
  client.retryRun({ params: { threadId }, body: { id: `retry-${randomUUID()}` } }).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
  });

async function readThread(server: ServerProcess, { threadId, follower }: TalkedThread): Promise<ThreadHistory> {
  const { url, client } = server;
  const snapshot = await client.getThread({ params: { threadId }, query: { limit: 200 } });
  if (!follower.isClosed()) await follower.until(({ seq }) => seq >= snapshot.seq);
  const reader = followThread({ url, threadId });
  await reader.until(({ seq }) => seq >= snapshot.seq);
  reader.close();
  const inputs = await query<{ id: string }>(server, "select id from inputs where thread = ?", [threadId]);
  return {
    threadId,
    received: follower.received,
    log: reader.received,
    snapshot,
    inputs: new Set(inputs.map(({ id }) => id)),
  };
}
