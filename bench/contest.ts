import { setTimeout as sleep } from "node:timers/promises";
import type { Arena, Client, Database, Server, ServerName, StartOptions } from "./arena.ts";
import type { Series } from "./report.ts";

/** The input of a measure. */
export type Contest = {
  readonly arena: Arena;
  readonly series: Series;
  readonly repeats: number;
  readonly databases: readonly Database[];
  /** Smaller loads for quick trials; the figures are not published. */
  readonly quick: boolean;
  readonly say: (text: string) => void;
};

export type Measuring = {
  /** Prefixes of the ids of its figures. */
  readonly ids: readonly string[];
  readonly run: (contest: Contest) => Promise<void>;
};

/** The id suffix of a database; SQLite has none. */
export const suffixOf = (database: Database): string => (database === "postgres" ? ".postgres" : "");

/** All contestants in every repeat, each time in another order, so that none always follows the same one. */
export async function takeRounds<T>(
  { repeats, say }: Pick<Contest, "repeats" | "say">,
  names: readonly ServerName[],
  measure: (name: ServerName, repeat: number) => Promise<T>,
  compare: (results: ReadonlyMap<ServerName, T>) => void,
): Promise<void> {
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const results = new Map<ServerName, T>();
    for (const name of toOrder(names, repeat)) results.set(name, await measure(name, repeat));
    compare(results);
    say(`repeat ${repeat + 1} of ${repeats}`);
  }
}

export function toOrder<T>(names: readonly T[], repeat: number): readonly T[] {
  const turn = Math.floor(repeat / 2) % names.length;
  const turned = [...names.slice(turn), ...names.slice(0, turn)];
  return repeat % 2 === 0 ? turned : turned.toReversed();
}

/** Starts the contestants of a measure and stops them afterwards. `pinned`: all of them and the client, or none. */
export async function withServers(
  { arena }: Contest,
  names: readonly ServerName[],
  work: (servers: ReadonlyMap<ServerName, Server>, client: Client) => Promise<void>,
  { pinned = false, titles = false }: Pick<StartOptions, "pinned" | "titles"> = {},
): Promise<void> {
  const client = await arena.client({ pinned });
  const servers = new Map<ServerName, Server>();
  try {
    for (const name of names) servers.set(name, await arena.start(name, { pinned, titles }));
    await work(servers, client);
  } finally {
    await Promise.all([...servers.values()].map((server) => server.close()));
  }
}

/** Repeated until none is left: a stream that started late misses the first call. */
export async function endStreams(server: Server, client: Client): Promise<void> {
  let isOver = false;
  const over = client.drain().finally(() => (isOver = true));
  while (!isOver) {
    await server.halt();
    await Promise.race([over, sleep(200)]);
  }
  await over;
}

export function getFrom<T>(values: ReadonlyMap<ServerName, T>, name: ServerName): T {
  const value = values.get(name);
  if (value === undefined) throw new Error(`${name} did not take part.`);
  return value;
}
