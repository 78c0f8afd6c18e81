import { canPin, type Client, type Server, type ServerName } from "../arena.ts";
import { getFrom, suffixOf, takeRounds, withServers, type Contest, type Measuring } from "../contest.ts";
import type { Script } from "../load/script.ts";

/**
 * How many streams of 100 deltas a second one core holds. The server and all its threads are pinned to a core, the client to
 * another. A number of streams is held when, over a window with all of them open, 97 of 100 deltas arrive in time and 99 of
 * 100 no later than a quarter of a second after they were due. The largest such number is searched in steps of 15 %.
 */
export const streamHeld: Measuring = { ids: ["stream.held."], run };

const PER_SECOND = 100;
const LATEST_MS = 250;
const SHARE = 0.97;
const STEP = 1.15;
const guesses: Record<ServerName, number> = { bare: 400, "ai-sdk": 60, sqlite: 180, postgres: 180 };

async function run(contest: Contest): Promise<void> {
  if (!canPin()) contest.say("no taskset or only one core: the servers may use more than one core");
  const names: readonly ServerName[] = ["ai-sdk", ...contest.databases];
  const found = new Map<ServerName, number>();
  const search = async (server: Server, client: Client): Promise<number> => {
    const most = await findMost(found.get(server.name) ?? guesses[server.name], (n) =>
      isHeld(server, client, n, contest),
    );
    found.set(server.name, most);
    return most;
  };
  await withServers(
    contest,
    names,
    async (servers, client) => {
      for (const server of servers.values()) await isHeld(server, client, 40, contest);
      await takeRounds(
        contest,
        names,
        (name) => search(getFrom(servers, name), client),
        (held) => {
          for (const [name, count] of held) contest.series.add(`stream.held.streams.${name}`, "streams", count);
          for (const database of contest.databases) {
            const ratio = getFrom(held, database) / getFrom(held, "ai-sdk");
            contest.series.add(`stream.held.vs-ai-sdk${suffixOf(database)}`, "x", ratio);
          }
        },
      );
    },
    true,
  );
}

/** From a guess, up while it holds or down until it does. */
async function findMost(guess: number, holds: (count: number) => Promise<boolean>): Promise<number> {
  let count = guess;
  if (await holds(count)) {
    for (let next = Math.ceil(count * STEP); await holds(next); next = Math.ceil(count * STEP)) count = next;
    return count;
  }
  do count = Math.floor(count / STEP);
  while (count > 0 && !(await holds(count)));
  return count;
}

async function isHeld(server: Server, client: Client, streams: number, { quick }: Contest): Promise<boolean> {
  const lengthMs = quick ? 1000 : 2000;
  const script: Script = { deltas: 10_000, paceMs: 1000 / PER_SECOND, firstMs: 0, clock: "due", says: "due" };
  const window = { settleMs: 500, lengthMs, startLimitMs: 4000 };
  const seen = await client.load({ contestant: server, streams, staggerMs: 1000, script, window });
  await server.halt();
  await client.drain();
  const due = (streams * PER_SECOND * seen.wallMs) / 1000;
  return seen.deltas >= SHARE * due && seen.p99Ms <= LATEST_MS;
}
