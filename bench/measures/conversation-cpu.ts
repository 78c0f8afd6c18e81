import { setTimeout as sleep } from "node:timers/promises";
import type { Client, Server, ServerName } from "../arena.ts";
import { getFrom, suffixOf, takeRounds, withServers, type Contest, type Measuring } from "../contest.ts";
import type { Script } from "../load/script.ts";

/**
 * CPU of the server process per turn of 200 deltas, with the background work that follows it. `five-turns`: the mean over the
 * first five turns of a conversation; each request to the peer carries the messages before it, as `useChat` sends them, ours
 * reads them from its database. `with-title`: ours has the model write a title after the first answer.
 */
export const conversationCpu: Measuring = { ids: ["conversation."], run };

const THREADS = 200;
const WARM_UPS = 3;
const WARM_UP_TURNS = 2;
/** Titles and indexes are written after the turns. They count as part of them. */
const BACKGROUND_MS = 3000;
const script: Script = { deltas: 200, paceMs: 0, firstMs: 0, clock: "after", says: "words" };

async function run(contest: Contest): Promise<void> {
  const peer: ServerName = "ai-sdk";
  for (const { kind, turns, titles } of [
    { kind: "first-turn", turns: 1, titles: false },
    { kind: "first-turn.with-title", turns: 1, titles: true },
    { kind: "five-turns", turns: 5, titles: false },
  ]) {
    const names = titles ? contest.databases : [peer, ...contest.databases];
    const work = async (servers: ReadonlyMap<ServerName, Server>, client: Client): Promise<void> => {
      for (const server of servers.values())
        for (let n = 0; n < WARM_UPS; n += 1) await measure(server, client, WARM_UP_TURNS);
      const take = (name: ServerName): Promise<number> => measure(getFrom(servers, name), client, turns);
      await takeRounds(contest, names, take, (costs) => {
        for (const [name, us] of costs) contest.series.add(`conversation.us-per-turn.${kind}.${name}`, "us", us);
        for (const database of titles ? [] : contest.databases) {
          const ratio = getFrom(costs, peer) / getFrom(costs, database);
          contest.series.add(`conversation.vs-ai-sdk.${kind}${suffixOf(database)}`, "x", ratio);
        }
      });
    };
    await withServers(contest, names, work, { pinned: true, titles });
  }
}

async function measure(server: Server, client: Client, turns: number): Promise<number> {
  const before = await server.usage();
  await client.turns({ contestant: server, threads: THREADS, rounds: turns, script, together: { staggerMs: 0 } });
  await sleep(BACKGROUND_MS);
  const after = await server.usage();
  return (after.cpuUs - before.cpuUs) / (THREADS * turns);
}
