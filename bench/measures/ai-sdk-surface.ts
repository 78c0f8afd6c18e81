import { setTimeout as sleep } from "node:timers/promises";
import type { Client, Server, ServerName } from "../arena.ts";
import { getFrom, suffixOf, takeRounds, withServers, type Contest, type Measuring } from "../contest.ts";
import type { Script } from "../load/script.ts";
import { measureHeld } from "./stream-held.ts";

/**
 * The AI SDK's protocol on both sides, with the same client and the same requests: our `/api/chat`, where every delta is stored
 * before it is sent, and a plain AI SDK server, which stores nothing. `held` is as in `stream.held`; `cpu` is CPU per delta of
 * whole turns, ours with creating the thread.
 */
export const aiSdkSurface: Measuring = { ids: ["ai-sdk."], run };

const STREAMS = 200;
const WARM_UPS = 3;
/** Search indexes are written after the turns. They count as part of them, and not of what is measured next. */
const BACKGROUND_MS = 3000;

async function run(contest: Contest): Promise<void> {
  const names: readonly ServerName[] = ["ai-sdk", ...contest.databases];
  const script: Script = { deltas: contest.quick ? 60 : 200, paceMs: 10, firstMs: 0, clock: "after", says: "words" };
  const work = async (servers: ReadonlyMap<ServerName, Server>, client: Client): Promise<void> => {
    const find = (name: ServerName): Server => toChat(getFrom(servers, name));
    for (const name of names) {
      for (let n = 0; n < WARM_UPS; n += 1) await measureCpu(find(name), client, { ...script, paceMs: 0 });
      await measureHeld(find(name), client, contest);
    }
    await takeRounds(
      contest,
      names,
      async (name) => ({
        cpuUs: await measureCpu(find(name), client, script),
        held: await measureHeld(find(name), client, contest),
      }),
      (figures) => compare(contest, figures),
    );
  };
  await withServers(contest, names, work, { pinned: true });
}

const toChat = (server: Server): Server =>
  server.kind === "chat" ? server : { ...server, kind: "chat", path: "/api/chat" };

async function measureCpu(server: Server, client: Client, script: Script): Promise<number> {
  const before = await server.usage();
  const { deltas } = await client.load({ contestant: server, streams: STREAMS, staggerMs: 0, script });
  await sleep(BACKGROUND_MS);
  const after = await server.usage();
  return (after.cpuUs - before.cpuUs) / deltas;
}

type Figures = { readonly cpuUs: number; readonly held: number };

function compare({ series, databases }: Contest, figures: ReadonlyMap<ServerName, Figures>): void {
  const nameOf = (name: ServerName): string => (name === "ai-sdk" ? "plain" : name);
  for (const [name, { cpuUs, held }] of figures) {
    series.add(`ai-sdk.cpu.us-per-delta.${nameOf(name)}`, "us", cpuUs);
    series.add(`ai-sdk.held.streams.${nameOf(name)}`, "streams", held);
  }
  const plain = getFrom(figures, "ai-sdk");
  for (const database of databases) {
    const { cpuUs, held } = getFrom(figures, database);
    series.add(`ai-sdk.cpu.vs-plain${suffixOf(database)}`, "x", plain.cpuUs / cpuUs);
    series.add(`ai-sdk.held.vs-plain${suffixOf(database)}`, "x", held / plain.held);
  }
}
