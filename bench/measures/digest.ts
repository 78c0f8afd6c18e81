import { systemClock } from "../../server/lib/clock.ts";
import { createDigests, type DigestRequest } from "../../server/project/digest.ts";
import type { Store, Write } from "../../server/store/contract.ts";
import { openStore } from "../../server/store/open.ts";
import {
  insert,
  listAct,
  listLarge,
  putRows,
  toEntityRow,
  toProjectRow,
} from "../../test/support/project/seed-project.ts";
import { suffixOf, type Contest, type Measuring } from "../contest.ts";
import { p99 } from "../statistics.ts";

/**
 * The digest of a project with 5,000 tasks, 2,000 documents and 20,000 edges: selected, fitted and rendered, for another
 * question each time, with an older entity in it. Warm: its rows are cached, and the project's seq shows that they are
 * current. After a write: a task was added since the previous call. The CPU is the mean of this thread.
 */
export const digest: Measuring = { ids: ["digest."], run };

const PROJECT = "project";
const OWNER = "owner";
const subjects =
  "ferry harbour depth tide table berth crane rope quay pilot ship cargo review budget roof paint anchor lamp".split(
    " ",
  );

const onError = (error: unknown): never => {
  throw error;
};

const ask = (n: number): DigestRequest => ({
  ownerId: OWNER,
  threadId: "thread",
  scope: { projectId: PROJECT, focusId: null, mode: "" },
  profile: "project",
  exchange: `What about the ${subjects[n % subjects.length]} and the ${subjects[(n * 7 + 1) % subjects.length]}, number ${1_000 + ((n * 13) % 3_000)}?`,
  included: new Map(),
  windowTokens: 200_000,
  wantsData: false,
});

async function run({ arena, series, repeats, databases, quick, say }: Contest): Promise<void> {
  const times = quick ? 100 : 400;
  for (const database of databases) {
    const { directory, databaseUrl } = await arena.createPlace(database);
    const store = await openStore({ directory, databaseUrl: databaseUrl || null });
    await seed(store);
    say(`a project of 5,000 tasks, 2,000 documents and 20,000 edges made on ${database}`);
    const { load } = createDigests({ read: store.read, clock: systemClock, onError });
    let asked = 0;
    const once = async (): Promise<number> => {
      const request = ask((asked += 1));
      const startedAt = performance.now();
      const [told] = await load(request);
      const ms = performance.now() - startedAt;
      if (told?.why !== "digest" || told.tokens > 2_000) throw new Error(`The digest is wrong: ${told?.note}`);
      return ms;
    };
    const take = async (before: () => Promise<void>): Promise<{ readonly ms: number; readonly cpuMs: number }> => {
      const all: number[] = [];
      let cpuUs = 0;
      for (let n = 0; n < times; n += 1) {
        await before();
        const begun = process.threadCpuUsage();
        all.push(await once());
        const { user, system } = process.threadCpuUsage(begun);
        cpuUs += user + system;
      }
      return { ms: p99(all), cpuMs: cpuUs / 1_000 / times };
    };
    const add = (name: string, { ms, cpuMs }: Awaited<ReturnType<typeof take>>): void => {
      series.add(`digest.p99-ms${name}${suffixOf(database)}`, "ms", ms);
      series.add(`digest.cpu-ms${name}${suffixOf(database)}`, "ms", cpuMs);
    };
    const write = createWriter(store);
    await take(async () => {});
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      add("", await take(async () => {}));
      add(".after-write", await take(write));
    }
    await store.close();
  }
}

async function seed(store: Store): Promise<void> {
  await putRows(store, [
    { do: "put", table: "users", row: { id: OWNER, created_at: 1 } } as Write,
    insert("projects", toProjectRow({ id: PROJECT, owner: OWNER })),
  ]);
  await putRows(store, listLarge(PROJECT, systemClock.now()));
}

function createWriter(store: Store): () => Promise<void> {
  let seq = 1;
  return async () => {
    seq += 1;
    const row = toEntityRow({
      project: PROJECT,
      id: `new-${seq}`,
      kind: "task",
      title: `A chore, the ${seq}th`,
      updated_at: systemClock.now(),
    });
    const change = { what: "entity", target: row.id, title: row.title, after: { title: row.title } } as const;
    await putRows(store, [insert("entities", row), ...listAct(PROJECT, seq, [change])]);
  };
}
