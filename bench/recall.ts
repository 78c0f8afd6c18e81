import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { systemClock } from "../server/lib/clock.ts";
import { createLog } from "../server/log/log.ts";
import { createRecall, type Recall } from "../server/recall/recall.ts";
import type { Store, Write } from "../server/store/contract.ts";
import { openStore } from "../server/store/open.ts";
import { startPostgres } from "../test/support/postgres.ts";

/**
 * `node bench/recall.ts [--only sqlite|postgres] [lengths]`: the cost of a search in threads of 10,000 and 100,000 messages,
 * cold and warm, on both databases. The texts are generated: 30 words by Zipf's law from 30,000 without the hundred most
 * common, in sessions with separate vocabularies.
 */
const args = process.argv.slice(2);
const only = args.includes("--only") ? args[args.indexOf("--only") + 1] : undefined;
const lengths = args.filter((one) => /^\d+$/.test(one)).map(Number);
const SEARCHES = 400;
const WARM = 60;
const BRANCH = "main";
const AT_ONCE = 1000;
const WORDS = 30_000;
/** The most common words of a language are not indexed. */
const STOP_WORDS = 100;
const syllables = "ba de fi go ku la me ni po ru sa te vi wo zu".split(" ");

for (const kind of ["sqlite", "postgres"] as const) {
  if (only !== undefined && only !== kind) continue;
  const directory = mkdtempSync(join(tmpdir(), "stonechat-recall-"));
  const postgres = kind === "postgres" ? await startPostgres() : undefined;
  const place = { directory, databaseUrl: (await postgres?.createDatabase()) ?? null };
  for (const length of lengths.length > 0 ? lengths : [10_000, 100_000]) await measure(place, kind, length);
  await postgres?.close();
  rmSync(directory, { recursive: true, force: true });
}

type Place = { readonly directory: string; readonly databaseUrl: string | null };

async function measure(place: Place, kind: string, length: number): Promise<void> {
  const thread = `thread-of-${length}`;
  const seeding = await open(place);
  await seed(seeding.store, thread, length);
  const startedAt = performance.now();
  await seeding.recall.catchUp(thread, BRANCH);
  const indexMs = performance.now() - startedAt;
  await seeding.close();
  if (place.databaseUrl !== null) await countRows(place.databaseUrl);

  const { recall, close } = await open(place);
  const random = createRandom(length + 1);
  const first = await time(recall, thread, length, random);
  for (let n = 0; n < WARM; n += 1) await time(recall, thread, length, random);
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let n = 0; n < SEARCHES; n += 1) times.push(await time(recall, thread, length, random));
  const { user, system } = process.cpuUsage(before);
  await close();
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2);
  console.log(
    `${kind} ${length} messages: cold ${first.toFixed(1)} ms, p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)} ms, ` +
      `${((user + system) / 1000 / SEARCHES).toFixed(2)} ms of this process's CPU each; ` +
      `indexed in ${(indexMs / 1000).toFixed(1)} s (${((indexMs / length) * 1000).toFixed(0)} µs a message)`,
  );
}

/** PostgreSQL does this automatically within a minute of such writes. */
async function countRows(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query("vacuum analyze");
  await client.end();
}

async function open(place: Place) {
  const store = await openStore(place);
  const log = createLog({
    store,
    clock: systemClock,
    onError: (error) => {
      throw error;
    },
  });
  const close = async (): Promise<void> => {
    await log.close();
    await store.close();
  };
  return { store, recall: createRecall({ store, log, clock: systemClock }), close };
}

async function time(recall: Recall, threadId: string, length: number, random: () => number): Promise<number> {
  const about = Math.floor(random() * length);
  const query = `What was it about ${toText(about, random, 6)}?`;
  const startedAt = performance.now();
  const found = await recall.search({
    threadId,
    branchId: BRANCH,
    upTo: length,
    query,
    now: 1,
    budgetTokens: 2048,
    visible: { cut: length - 10, messageIds: new Set() },
  });
  const ms = performance.now() - startedAt;
  if (found.length === 0) throw new Error("A search for words of the thread found nothing.");
  return ms;
}

async function seed(store: Store, thread: string, length: number): Promise<void> {
  const random = createRandom(length);
  const owner = `owner-${thread}`;
  const commit = async (writes: readonly Write[]): Promise<void> => {
    const [result] = await store.commit([{ events: [], writes }]);
    if (!result?.ok) throw new Error("The thread could not be created.");
  };
  const summary = { id: thread, owner, title: "", title_source: "none", preview: "", profile: "stone" } as const;
  const state = {
    model: "none",
    status: "idle",
    pinned: 0,
    archived: 0,
    message_count: length,
    branch: BRANCH,
  } as const;
  await commit([
    { do: "insert", table: "users", row: { id: owner, created_at: 1 } },
    {
      do: "insert",
      table: "threads",
      row: {
        ...summary,
        ...state,
        policy: "",
        effort: "",
        project: null,
        focus: null,
        mode: "",
        temporary: 0,
        shared: 0,
        seen_at: 1,
        created_at: 1,
        updated_at: 1,
      },
    },
    {
      do: "insert",
      table: "branches",
      row: { thread, id: BRANCH, parent: null, fork_depth: 0, tip: length, used_at: 1 },
    },
  ]);
  for (let depth = 1; depth <= length; depth += AT_ONCE) {
    const depths = Array.from({ length: Math.min(AT_ONCE, length - depth + 1) }, (_, n) => depth + n);
    await commit(depths.flatMap((one) => toMessage(thread, one, toText(one, random, 30))));
  }
}

function toMessage(thread: string, depth: number, text: string): readonly Write[] {
  const id = `${thread}-${depth}`;
  const role = depth % 2 === 1 ? "user" : "assistant";
  const part = { id: `${id}-0`, v: 1, n: 0, step: 0, kind: "text", state: "done", text };
  return [
    {
      do: "insert",
      table: "messages",
      row: {
        thread,
        id,
        branch: BRANCH,
        depth,
        role,
        run: null,
        created_at: Math.floor(depth / 30) * 86_400_000,
        ...{ author: null, author_name: null },
      },
    },
    {
      do: "insert",
      table: "parts",
      row: { thread, message: id, n: 0, v: 1, kind: "text", tokens: 30, body: JSON.stringify(part) },
    },
  ];
}

/** Most words by Zipf's law, some of the session's vocabulary. */
function toText(depth: number, random: () => number, count: number): string {
  const session = Math.floor(depth / 30);
  const words = Array.from({ length: count }, (_, n) =>
    toWord(n % 5 === 0 ? 500 + ((session * 131 + Math.floor(random() * 40)) % (WORDS - 500)) : zipf(random)),
  );
  return `${words.join(" ")}.`;
}

function zipf(random: () => number): number {
  return Math.floor(STOP_WORDS * (WORDS / STOP_WORDS) ** random());
}

function toWord(n: number): string {
  let [word, rest] = ["", n + 15];
  for (; rest > 0; rest = Math.floor(rest / 15)) word += syllables[rest % 15];
  return word;
}

/** A small deterministic generator (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
