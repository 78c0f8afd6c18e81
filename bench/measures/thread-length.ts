import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Place, Server } from "../arena.ts";
import { suffixOf, type Contest, type Measuring } from "../contest.ts";
import type { Script } from "../load/script.ts";
import { assembleRepeatedly } from "../assembling.ts";
import { seedThreads } from "../seed.ts";
import { median, p95, p99 } from "../statistics.ts";

/**
 * The cost of a thread's length. `turn`: the time of a whole turn with an instant model, on a thread of 100,000 messages
 * relative to one of 100, alternating; of a thread of 20,000 the median and the p95. `assemble`: loading the window of a thread of that length and assembling the request
 * and the receipt. A seeded thread is summarized and indexed in the background after its first turns, which a thread that
 * grew normally has already done, so the benchmark waits for that.
 */
export const threadLength: Measuring = { ids: ["turn.", "assemble."], run };

const lengths = [100, 10_000, 20_000, 100_000] as const;
const script: Script = { deltas: 20, paceMs: 0, firstMs: 0, clock: "after", says: "words" };

async function run(contest: Contest): Promise<void> {
  for (const database of contest.databases) {
    const place = await contest.arena.createPlace(database);
    const [short = "", tenK = "", twentyK = "", long = ""] = await seedThreads(place, lengths);
    contest.say(`threads of ${lengths.join(", ")} messages made on ${database}, ${availableParallelism()} cores`);
    await measureAssembling(contest, database, place, [tenK, twentyK, long]);
    await measureTurns(contest, database, place, [short, twentyK, long]);
  }
}

async function measureAssembling(
  { series, repeats, quick }: Contest,
  database: Database,
  place: Place,
  [tenK = "", twentyK = "", long = ""]: readonly string[],
): Promise<void> {
  for (const [name, thread] of [
    ["10k", tenK],
    ["20k", twentyK],
    ["100k", long],
  ] as const) {
    const rounds = await assembleRepeatedly(place, thread, { rounds: repeats, times: quick ? 200 : 1000 });
    for (const times of rounds) {
      series.add(`assemble.p99-ms.${name}${suffixOf(database)}`, "ms", p99(times));
      if (name !== "20k") continue;
      series.add(`assemble.p50-ms.${name}${suffixOf(database)}`, "ms", median(times));
      series.add(`assemble.p95-ms.${name}${suffixOf(database)}`, "ms", p95(times));
    }
  }
}

async function measureTurns(
  { arena, series, repeats, quick }: Contest,
  database: Database,
  place: Place,
  threads: readonly string[],
): Promise<void> {
  const client = await arena.client();
  const server = await arena.start(database, { place });
  const turns = { contestant: server, script, together: null };
  await client.turns({ ...turns, threads, rounds: 30 });
  await rest(server);
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const order = repeat % 2 === 0 ? threads : threads.toReversed();
    const times = await client.turns({ ...turns, threads: order, rounds: quick ? 20 : 60 });
    const turnTimes = (repeat % 2 === 0 ? times : times.toReversed()).map(({ turnMs }) => turnMs);
    const [short = 0, twentyK = 0, long = 0] = turnTimes.map(median);
    series.add(`turn.100k-vs-100${suffixOf(database)}`, "x", long / short);
    series.add(`turn.ms.100${suffixOf(database)}`, "ms", short);
    series.add(`turn.ms.20k${suffixOf(database)}`, "ms", twentyK);
    series.add(`turn.p95-ms.20k${suffixOf(database)}`, "ms", p95(turnTimes[1] ?? []));
    series.add(`turn.ms.100k${suffixOf(database)}`, "ms", long);
  }
  await server.close();
}

/** Until the server is idle for two seconds. */
async function rest(server: Server): Promise<void> {
  for (let calm = 0, tries = 0; calm < 4 && tries < 1000; tries += 1) {
    const { cpuUs } = await server.usage();
    await sleep(500);
    calm = (await server.usage()).cpuUs - cpuUs < 25_000 ? calm + 1 : 0;
  }
}
