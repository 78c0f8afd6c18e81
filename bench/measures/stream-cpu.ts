import type { Client, Server, ServerName } from "../arena.ts";
import { getFrom, suffixOf, takeRounds, withServers, type Contest, type Measuring } from "../contest.ts";
import type { Script } from "../load/script.ts";

/**
 * CPU of the server process per delta. A turn lasts from sending the message to the end of the stream, with an open page; ours
 * includes admission, the run, every commit, the settled answer and its search entry. `opening` is counted separately:
 * creating the thread and opening its stream, which a page does once and the peer never does.
 */
export const streamCpu: Measuring = { ids: ["stream.cpu."], run };

const STREAMS = 200;
/** Warm-up rounds that do not count: a long-running server has compiled its code. */
const WARM_UPS = 3;

async function run(contest: Contest): Promise<void> {
  const deltas = contest.quick ? 60 : 200;
  const names: readonly ServerName[] = ["bare", "ai-sdk", ...contest.databases];
  for (const [ending, paceMs] of [
    ["", 0],
    [".paced", 10],
  ] as const) {
    const script: Script = { deltas, paceMs, firstMs: 0, clock: "after", says: "words" };
    await withServers(contest, names, async (servers, client) => {
      for (const server of servers.values()) {
        for (let n = 0; n < WARM_UPS; n += 1) await measure(server, client, { ...script, paceMs: 0 });
      }
      await takeRounds(
        contest,
        names,
        (name) => measure(getFrom(servers, name), client, script),
        (costs) => compare(contest, costs, ending),
      );
    });
  }
}

type Cost = { readonly turnUs: number; readonly openingUs: number };

async function measure(server: Server, client: Client, script: Script): Promise<Cost> {
  const load = { contestant: server, streams: STREAMS, staggerMs: 0, script };
  const before = await server.usage();
  await client.open(load);
  const open = await server.usage();
  const { deltas } = await client.load(load);
  const after = await server.usage();
  return { turnUs: (after.cpuUs - open.cpuUs) / deltas, openingUs: (open.cpuUs - before.cpuUs) / deltas };
}

function compare({ series, databases }: Contest, costs: ReadonlyMap<ServerName, Cost>, ending: string): void {
  for (const [name, { turnUs }] of costs) series.add(`stream.cpu.us-per-delta.${name}${ending}`, "us", turnUs);
  const { turnUs: peer } = getFrom(costs, "ai-sdk");
  const { turnUs: bare } = getFrom(costs, "bare");
  for (const database of databases) {
    const { turnUs, openingUs } = getFrom(costs, database);
    const suffix = ending + suffixOf(database);
    series.add(`stream.cpu.vs-ai-sdk${suffix}`, "x", peer / turnUs);
    series.add(`stream.cpu.vs-ai-sdk.with-opening${suffix}`, "x", peer / (turnUs + openingUs));
    series.add(`stream.cpu.vs-bare${suffix}`, "x", turnUs / bare);
  }
}
