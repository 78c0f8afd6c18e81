import type { Client, Server, ServerName } from "../arena.ts";
import { getFrom, suffixOf, takeRounds, withServers, type Contest, type Measuring } from "../contest.ts";
import type { Script } from "../load/script.ts";

/**
 * CPU of the server process per delta. A turn lasts from sending the message to the end of the stream, with an open page; ours
 * includes admission, the run, every commit, the settled answer and its search entry. `opening` is counted separately:
 * creating the thread and opening its stream, which a page does once and the peer never does. Titles are off: ours has the model
 * write one after the first answer, which is a second model call that the peer does not make. `conversation.` shows what it costs.
 * `slope` is what each further delta of a long answer costs, without the turn around it.
 */
export const streamCpu: Measuring = { ids: ["stream.cpu."], run };

const STREAMS = 200;
/** Warm-up rounds that do not count: a long-running server has compiled its code. */
const WARM_UPS = 3;
const instant: Script = { deltas: 200, paceMs: 0, firstMs: 0, clock: "after", says: "words" };

async function run(contest: Contest): Promise<void> {
  const short = { ...instant, deltas: contest.quick ? 60 : 200 };
  const long = { ...short, deltas: short.deltas * 5 };
  const names: readonly ServerName[] = ["bare", "ai-sdk", ...contest.databases];
  for (const [ending, script] of [
    ["", short],
    [".paced", { ...short, paceMs: 10 }],
  ] as const) {
    const work = async (servers: ReadonlyMap<ServerName, Server>, client: Client): Promise<void> => {
      for (const server of servers.values()) {
        for (let n = 0; n < WARM_UPS; n += 1) await measure(server, client, short);
      }
      const take = async (name: ServerName): Promise<Cost> => {
        const server = getFrom(servers, name);
        const cost = await measure(server, client, script);
        if (script.paceMs > 0) return cost;
        const { turnUs } = await measure(server, client, long);
        const slopeUs = (turnUs * long.deltas - cost.turnUs * short.deltas) / (long.deltas - short.deltas);
        return { ...cost, slopeUs };
      };
      await takeRounds(contest, names, take, (costs) => compare(contest, costs, ending));
    };
    await withServers(contest, names, work, { pinned: true });
  }
}

/** Per delta. */
type Cost = { readonly turnUs: number; readonly openingUs: number; readonly slopeUs?: number };

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
  for (const [name, { turnUs, slopeUs }] of costs) {
    series.add(`stream.cpu.us-per-delta.${name}${ending}`, "us", turnUs);
    if (slopeUs !== undefined) series.add(`stream.cpu.slope-us.${name}`, "us", slopeUs);
  }
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
