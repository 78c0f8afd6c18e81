import type { ServerName } from "../arena.ts";
import { suffixOf, takeRounds, type Contest, type Measuring } from "../contest.ts";
import type { Load } from "../load/streams.ts";
import type { Script } from "../load/script.ts";

/**
 * Resident memory per open stream with a running answer, one delta a second. Each time a new server first serves some streams
 * as a warm-up; then the growth is measured until all streams are open, after garbage collection at both ends.
 */
export const streamMemory: Measuring = { ids: ["stream.memory-kb"], run };

async function run(contest: Contest): Promise<void> {
  const names: readonly ServerName[] = ["bare", "ai-sdk", ...contest.databases];
  const streams = contest.quick ? 300 : 1000;
  await takeRounds(
    contest,
    names,
    (name) => measure(contest, name, streams),
    (sizes) => {
      for (const [name, kb] of sizes) {
        const isOurs = name === "sqlite" || name === "postgres";
        contest.series.add(`stream.memory-kb${isOurs ? suffixOf(name) : `.${name}`}`, "kB", kb);
      }
    },
  );
}

async function measure({ arena }: Contest, name: ServerName, streams: number): Promise<number> {
  const server = await arena.start(name);
  const client = await arena.client();
  const slow: Script = { deltas: 1000, paceMs: 1000, firstMs: 0, clock: "after", says: "words" };
  const load: Load = {
    contestant: server,
    streams,
    staggerMs: streams * 2,
    script: slow,
    window: { settleMs: 1500, lengthMs: 0, startLimitMs: 15_000 },
  };
  await client.load({ ...load, streams: 20, script: { ...slow, deltas: 20, paceMs: 10 } });
  await client.drain();
  const before = await server.usage("garbage collection");
  await client.load(load);
  const after = await server.usage("garbage collection");
  await server.close();
  await client.drain().catch(() => {});
  return (after.rssBytes - before.rssBytes) / 1000 / streams;
}
