import type { Client, Server, ServerName } from "../arena.ts";
import { getFrom, suffixOf, takeRounds, withServers, type Contest, type Measuring } from "../contest.ts";
import type { Script } from "../load/script.ts";

/**
 * The time that the server adds to the first token: from sending the message to the first delta at the client, minus the
 * time of the model. Twenty users send turns at once; the model takes a tenth of a second. The p99 is taken over the samples of
 * all repeats, because one repeat has only 120.
 */
export const firstToken: Measuring = { ids: ["first-token."], run };

const PEOPLE = 20;
/** The approximate time of a turn; the twenty users start at times spread over it. */
const TURN_MS = 700;
/** Turns per user that do not count: until then code is still being compiled. */
const WARM_UPS = 15;
const script: Script = { deltas: 30, paceMs: 20, firstMs: 100, clock: "after", says: "given" };

async function run(contest: Contest): Promise<void> {
  const names: readonly ServerName[] = ["ai-sdk", ...contest.databases];
  const rounds = contest.quick ? 3 : 6;
  await withServers(contest, names, async (servers, client) => {
    for (const server of servers.values()) await measure(server, client, contest.quick ? 3 : WARM_UPS);
    await takeRounds(
      contest,
      names,
      (name) => measure(getFrom(servers, name), client, rounds),
      (times) => {
        for (const [name, ms] of times) {
          const ending = name === "sqlite" || name === "postgres" ? suffixOf(name) : `.${name}`;
          contest.series.pool(`first-token.added.p50-ms${ending}`, "ms", 0.5, ms);
          contest.series.pool(`first-token.added.p99-ms${ending}`, "ms", 0.99, ms);
        }
      },
    );
  });
}

async function measure(server: Server, client: Client, rounds: number): Promise<readonly number[]> {
  const times = await client.turns({
    contestant: server,
    threads: PEOPLE,
    rounds,
    script,
    together: { staggerMs: TURN_MS },
  });
  return times.flatMap(({ addedMs }) => addedMs);
}
