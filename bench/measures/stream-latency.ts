import type { Client, Server, ServerName } from "../arena.ts";
import { endStreams, getFrom, suffixOf, takeRounds, withServers, type Contest, type Measuring } from "../contest.ts";
import type { Script } from "../load/script.ts";

/**
 * Time from the model's delta to its arrival at the client, 18 deltas a second on each stream. Ours is stored durably in between. The
 * bare server has neither model nor database and shows the machine's own latency, which varies: `added-ms` is the difference.
 */
export const streamLatency: Measuring = { ids: ["stream.p99."], run };

const PACE_MS = 55;

async function run(contest: Contest): Promise<void> {
  const names: readonly ServerName[] = ["bare", ...contest.databases];
  await withServers(contest, names, async (servers, client) => {
    for (const server of servers.values()) await measure(server, client, 100, contest);
    for (const streams of [500, 1000]) {
      await takeRounds(
        contest,
        names,
        (name) => measure(getFrom(servers, name), client, streams, contest),
        (p99s) => compare(contest, p99s, streams),
      );
    }
  });
}

async function measure(server: Server, client: Client, streams: number, { quick }: Contest): Promise<number> {
  const script: Script = { deltas: 10_000, paceMs: PACE_MS, firstMs: 0, clock: "due", says: "given" };
  const window = { settleMs: 500, lengthMs: quick ? 1000 : 2000, startLimitMs: 30_000 };
  const { p99Ms } = await client.load({ contestant: server, streams, staggerMs: streams * 2, script, window });
  await endStreams(server, client);
  return p99Ms;
}

function compare({ series, databases }: Contest, p99s: ReadonlyMap<ServerName, number>, streams: number): void {
  for (const [name, ms] of p99s) series.add(`stream.p99.ms.${streams}.${name}`, "ms", ms);
  for (const database of databases) {
    const ratio = getFrom(p99s, database) / getFrom(p99s, "bare");
    const addedMs = getFrom(p99s, database) - getFrom(p99s, "bare");
    series.add(`stream.p99.added-ms.${streams}${suffixOf(database)}`, "ms", addedMs);
    series.add(`stream.p99.vs-bare.${streams}${suffixOf(database)}`, "x", ratio);
  }
}
