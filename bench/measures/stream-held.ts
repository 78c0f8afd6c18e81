import { setTimeout as sleep } from "node:timers/promises";
import { canPin, SERVER_CPU, type Client, type Server, type ServerName } from "../arena.ts";
import { endStreams, getFrom, suffixOf, takeRounds, withServers, type Contest, type Measuring } from "../contest.ts";
import type { Script } from "../load/script.ts";
import { readCpuBusyUs } from "../process-cpu.ts";

/**
 * How many streams of 100 deltas a second one core can serve: a number that every contestant can serve is opened, and divided
 * by the share of a core that the server process uses, while no stream begins or ends. A window counts only if the deltas arrive
 * in time and no other process used the server's core much: a server that waits for its core sends many deltas at once, which is
 * cheaper, and more so for one that does not gather them.
 */
export const streamHeld: Measuring = { ids: ["stream.held."], run };

const PER_SECOND = 100;
const STREAMS = 40;
const LATEST_MS = 100;
const MOST_OF_OTHERS = 0.15;
const LEAST_SHARE = 0.97;
/** Windows that are tried until one counts. */
const MOST_WINDOWS = 12;

async function run(contest: Contest): Promise<void> {
  const names: readonly ServerName[] = ["ai-sdk", ...contest.databases];
  const work = async (servers: ReadonlyMap<ServerName, Server>, client: Client): Promise<void> => {
    for (const server of servers.values()) await measureHeld(server, client, contest);
    await takeRounds(
      contest,
      names,
      (name) => measureHeld(getFrom(servers, name), client, contest),
      (held) => compare(contest, held),
    );
  };
  await withServers(contest, names, work, { pinned: true });
}

/** Throws if no window counts: a figure of a server that was late cannot be compared. */
export async function measureHeld(server: Server, client: Client, { quick, say }: Contest): Promise<number> {
  const lengthMs = quick ? 1500 : 4000;
  const script: Script = { deltas: 10_000, paceMs: 1000 / PER_SECOND, firstMs: 0, clock: "due", says: "due" };
  const window = { settleMs: 500, lengthMs: 0, startLimitMs: 10_000 };
  for (let count = 1; count <= MOST_WINDOWS; count += 1) {
    await client.load({ contestant: server, streams: STREAMS, staggerMs: 500, script, window });
    const before = await server.usage();
    const busyBeforeUs = readCpuBusyUs(SERVER_CPU);
    const startedAt = performance.now();
    const [seen] = await Promise.all([client.sample(lengthMs), sleep(lengthMs)]);
    const after = await server.usage();
    const lengthUs = (performance.now() - startedAt) * 1000;
    const share = (after.cpuUs - before.cpuUs) / lengthUs;
    const others = canPin() ? (readCpuBusyUs(SERVER_CPU) - busyBeforeUs) / lengthUs - share : 0;
    await endStreams(server, client);
    const due = (STREAMS * PER_SECOND * seen.wallMs) / 1000;
    if (seen.deltas >= LEAST_SHARE * due && seen.p99Ms <= LATEST_MS && others <= MOST_OF_OTHERS) return STREAMS / share;
    const came = Math.round((100 * seen.deltas) / due);
    const late = `${came} % came, p99 ${Math.round(seen.p99Ms)} ms late`;
    say(
      `${server.name} did not hold ${STREAMS} streams: ${late}, others used ${Math.round(100 * others)} % of its core`,
    );
  }
  throw new Error(`${server.name} did not hold ${STREAMS} streams in ${MOST_WINDOWS} windows. Is the machine busy?`);
}

function compare({ series, databases }: Contest, held: ReadonlyMap<ServerName, number>): void {
  for (const [name, count] of held) series.add(`stream.held.streams.${name}`, "streams", count);
  for (const database of databases) {
    const ratio = getFrom(held, database) / getFrom(held, "ai-sdk");
    series.add(`stream.held.vs-ai-sdk${suffixOf(database)}`, "x", ratio);
  }
}
