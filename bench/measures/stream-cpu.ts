import type { Client, Server, ServerName } from "../arena.ts";
import { getFrom, suffixOf, takeRounds, withServers, type Contest, type Measuring } from "../contest.ts";
import type { Script } from "../load/script.ts";

/**
 * CPU of the server process per delta, over everything a stream needs from the first request to its end: for ours that
 * includes making the thread, admitting the message, the run, every commit and the settled answer.
 */
export const streamCpu: Measuring = { ids: ["stream.cpu."], run };

const STREAMS = 200;

async function run(contest: Contest): Promise<void> {
  const deltas = contest.quick ? 60 : 200;
  const names: readonly ServerName[] = ["bare", "ai-sdk", ...contest.databases];
  for (const [ending, paceMs] of [
    ["", 0],
    [".paced", 10],
  ] as const) {
    const script: Script = { deltas, paceMs, firstMs: 0, clock: "after", says: "words" };
    await withServers(contest, names, async (servers, client) => {
      for (const server of servers.values()) await measure(server, client, script);
      await takeRounds(
        contest,
        names,
        (name) => measure(getFrom(servers, name), client, script),
        (costs) => compare(contest, costs, ending),
      );
    });
  }
}

async function measure(server: Server, client: Client, script: Script): Promise<number> {
  const before = await server.usage();
  const { deltas } = await client.load({ contestant: server, streams: STREAMS, staggerMs: 0, script });
  const after = await server.usage();
  return (after.cpuUs - before.cpuUs) / deltas;
}

function compare({ series, databases }: Contest, costs: ReadonlyMap<ServerName, number>, ending: string): void {
  for (const [name, cost] of costs) series.add(`stream.cpu.us-per-delta.${name}${ending}`, "us", cost);
  for (const database of databases) {
    const ours = getFrom(costs, database);
    const suffix = ending + suffixOf(database);
    series.add(`stream.cpu.vs-ai-sdk${suffix}`, "x", getFrom(costs, "ai-sdk") / ours);
    series.add(`stream.cpu.vs-bare${suffix}`, "x", ours / getFrom(costs, "bare"));
  }
}
