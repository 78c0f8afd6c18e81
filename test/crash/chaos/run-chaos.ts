import { setTimeout as pause } from "node:timers/promises";
import { startServer, type ServerProcess } from "../../support/server-process.ts";
import { querySqlite } from "../../support/server/database.ts";
import type { StoreFault } from "../../support/server/faulty-stores.ts";
import { checkHistory, isShown } from "./check-history.ts";
import type { Findings } from "./history.ts";
import { readHistory } from "./read-history.ts";
import { createRandom, pick } from "./script.ts";
import { createTraffic, type TalkedThread } from "./traffic.ts";

/**
 * Kills a server at random moments while clients send messages, and restarts it, many times. After all runs have ended, the
 * acknowledged data is compared with the stored data. The counters show whether enough cases were exercised.
 */
export type ChaosReport = Findings & {
  readonly cycles: number;
  readonly acks: number;
  /** Kills that interrupted at least one run, according to the database left by the killed process. */
  readonly liveKills: number;
  readonly runs: number;
  /** How often a followed view was compared with a loaded one during the test. */
  readonly seams: number;
  readonly received: number;
  readonly effects: number;
  /** Time from the kill to the first new event of each interrupted run, including the restart. */
  readonly recoveriesMs: readonly number[];
  readonly parked: number;
  readonly refusals: ReadonlyMap<string, number>;
  /** Output of the last process. */
  readonly output: string;
};

export type ChaosOptions = {
  readonly cycles: number;
  readonly seed: number;
  readonly threads?: number;
  /** A faulty server: the findings must not be empty. */
  readonly fault?: StoreFault;
  readonly onCycle?: (cycle: number) => void;
};

const [SILENCE_LIMIT_MS, SEAM_LIMIT_MS] = [10_000, 2_000];
/** Maximum number of events, over all threads, before a kill. */
const MOST_EVENTS = 300;
/** In every tenth cycle the server runs until all runs have resumed. This is what is timed. */
const CALM_EVERY = 10;

export async function runChaos({ cycles, seed, threads = 6, fault, onCycle }: ChaosOptions): Promise<ChaosReport> {
  const random = createRandom(seed);
  const server = await startServer({ spare: true, ...(fault ? { fault } : {}) });
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  const cut = new Map<string, number>();
  const recoveriesMs: number[] = [];
  const watch = createWatch();
  const traffic = createTraffic({
    url: server.url,
    client: server.client,
    random,
    threads,
    up: () => gate.promise,
    onEvent: (threadId) => {
      const since = cut.get(threadId);
      if (since !== undefined && cut.delete(threadId)) recoveriesMs.push(performance.now() - since);
      watch.happened();
    },
  });

  let liveKills = 0;
  const early: string[] = [];
  const seams: Seam[] = [];
  try {
    for (let cycle = 1; cycle <= cycles; cycle += 1) {
      // Counted in events, not time, so that slow and fast machines are killed at the same points.
      const seen = watch.count() + random() * MOST_EVENTS;
      const seam = compareSeam(server, pick(random, traffic.threads.slice(-threads)));
      await watch.until(() => watch.count() >= seen);
      await pause(random() * 10);
      gate = Promise.withResolvers();
      await server.kill();
      const killedAt = performance.now();
      const live = listLive(server);
      if (live.length > 0) liveKills += 1;
      early.push(...findUndurable(server, traffic.threads));
      const calm = cycle % CALM_EVERY === 0;
      cut.clear();
      if (calm) for (const threadId of live) cut.set(threadId, killedAt);
      await restart(server, { calm, random });
      gate.resolve();
      if (calm) await watch.until(() => cut.size === 0);
      seams.push(await seam);
      onCycle?.(cycle);
    }
    await traffic.stop();
    const history = await readHistory(server, traffic);
    const findings = checkHistory(history);
    return {
      ...findings,
      lost: [...early, ...findings.lost],
      contradicted: [
        ...seams.flatMap((seam) => (seam.kind === "differs" ? [seam.what] : [])),
        ...findings.contradicted,
      ],
      seams: seams.filter(({ kind }) => kind !== "not seen").length,
      cycles,
      acks: traffic.acts.filter(({ state }) => state === "acknowledged").length,
      liveKills,
      runs: history.threads.flatMap(({ log }) => log.filter(({ body }) => body.includes('"type":"run-started"')))
        .length,
      received: history.threads.reduce((sum, { received }) => sum + received.length, 0),
      effects: history.effects.length,
      recoveriesMs: recoveriesMs.toSorted((a, b) => a - b),
      parked: traffic.parked(),
      refusals: traffic.refusals,
      output: server.output(),
    };
  } finally {
    for (const { follower } of traffic.threads) follower.close();
    await server.close();
  }
}

/** Counts the events that clients receive and waits for them, up to a limit, because a silent server is killed too. */
function createWatch() {
  let count = 0;
  const looks = new Set<() => void>();
  return {
    count: () => count,
    happened: () => {
      count += 1;
      for (const look of looks) look();
    },
    until: (test: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const finish = () => {
          clearTimeout(timer);
          looks.delete(look);
          resolve();
        };
        const look = () => void (test() && finish());
        const timer = setTimeout(finish, SILENCE_LIMIT_MS);
        looks.add(look);
        look();
      }),
  };
}

/** Sometimes kills the server again before it is ready, to interrupt recovery too. */
async function restart(
  server: ServerProcess,
  { calm, random }: { calm: boolean; random: () => number },
): Promise<void> {
  if (!calm && random() < 0.1) {
    const started = server.restart().catch(() => {});
    await pause(random() * 120);
    await server.kill();
    await started;
  }
  await server.restart({ cold: calm });
}

type Seam = { readonly kind: "same" | "not seen" } | { readonly kind: "differs"; readonly what: string };

/** Loads a thread and compares it with the followed view at the same event. */
async function compareSeam({ client }: ServerProcess, thread: TalkedThread | undefined): Promise<Seam> {
  if (!thread) return { kind: "not seen" };
  const { threadId, follower } = thread;
  const connections = follower.connections();
  try {
    const snapshot = await client.getThread({ params: { threadId }, query: { limit: 200 } });
    const view = await follower.until(({ seq }) => seq >= snapshot.seq, SEAM_LIMIT_MS);
    // A reconnected client lacks deltas whose part was settled since, and gets that part with a later event.
    if (view.seq !== snapshot.seq || follower.connections() !== connections) return { kind: "not seen" };
    if (isShown(view, snapshot)) return { kind: "same" };
    return { kind: "differs", what: `thread ${threadId} at event ${view.seq} is shown otherwise than it is followed` };
  } catch {
    return { kind: "not seen" };
  }
}

/** Threads whose run had not ended when the process was killed. */
const listLive = ({ dataDir }: ServerProcess): readonly string[] =>
  querySqlite<{ thread: string }>(dataDir, "select thread from runs where ended = 0").map(({ thread }) => thread);

/** Only durable rows are sent: no client has received a row that the killed process did not store. */
function findUndurable({ dataDir }: ServerProcess, threads: readonly TalkedThread[]): readonly string[] {
  const rows = querySqlite<{ id: string; head: number }>(dataDir, "select id, head from streams");
  const journal = querySqlite<{ body: string }>(dataDir, "select body from journal order by id");
  const heads = new Map(rows.map(({ id, head }) => [id, head]));
  // Deltas in the journal: first seq, lease epoch, stream, then one line per delta.
  for (const entry of journal.flatMap(({ body }) => body.split("\n\n"))) {
    const [first = "", , stream = "", ...deltas] = entry.split("\n");
    if (/^\d+$/.test(first)) heads.set(stream, Math.max(heads.get(stream) ?? 0, Number(first) + deltas.length - 1));
  }
  return threads.flatMap(({ threadId, follower }) => {
    const seen = follower.received.at(-1)?.seq ?? 0;
    const head = heads.get(`thread:${threadId}`) ?? 0;
    return seen > head
      ? [`thread ${threadId} was shown to event ${seen}, but only ${head} were there after the kill`]
      : [];
  });
}
