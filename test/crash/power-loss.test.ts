import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StreamName } from "../../protocol/ids.ts";
import { openConnection } from "../../server/store/sqlite/connection.ts";
import { openSqlite } from "../../server/store/sqlite/open.ts";
import { Disk } from "./power-loss/disk.ts";
import { canRecord, record, type Op, type Recording } from "./power-loss/recorder.ts";
import { bodyOf, NOTES, streams, userOf } from "./power-loss/workload.ts";

const STATES = process.env["STONECHAT_DEEP"] === "1" ? 10_000 : 100;
const ROUNDS = 300;
const AT_ONCE = 4;

/** The recorded workload, created once. */
const wanted = streams.map((stream) => ({
  stream,
  rounds: Array.from({ length: ROUNDS }, (_, n) => ({ body: bodyOf(stream, n + 1), user: userOf(stream, n + 1) })),
}));

type Findings = { readonly damage: string | null; readonly lost: number };

let home = "";
beforeAll(() => {
  home = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "stonechat-power-"));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.skipIf(!canRecord())("a power cut at any moment (needs Linux and a C compiler)", () => {
  test(`loses or damages no acknowledged commit in ${STATES} states`, async () => {
    const recording = record(home, "FULL", ROUNDS);
    expect(countSyncsOnMainThread(recording)).toEqual({ main: 0, others: expect.toSatisfy((n: number) => n > ROUNDS) });
    const seen = await explore(recording, STATES);
    report("FULL", recording, seen);
    expect(seen.acknowledged).toBe(streams.length * ROUNDS);
    expect(seen.statesWithAcks).toBeGreaterThan(STATES * 0.9);
    expect(seen).toMatchObject({ damaged: [], lostStates: 0 });
  });

  test("control: without fsync acknowledged commits are lost", async () => {
    const recording = record(home, "NORMAL", ROUNDS);
    const seen = await explore(recording, 40);
    report("NORMAL", recording, seen);
    expect(seen.lostStates).toBeGreaterThan(0);
  });
});

/** fsync waits for the disk, so it must not run in the thread that serves requests. */
function countSyncsOnMainThread({ ops, mainThread }: Recording): { main: number; others: number } {
  const count = { main: 0, others: 0 };
  let serving = false;
  for (const { kind, name, thread, bytes } of ops) {
    if (name === NOTES) serving = bytes.toString().trim() !== "stopping";
    if (kind === "sync" && serving) count[thread === mainThread ? "main" : "others"] += 1;
  }
  return count;
}

/** Replays the recording onto a strict disk, cuts the power at random moments and opens the remaining file with the real store. */
async function explore({ ops }: Recording, states: number) {
  const random = createRandom(20_261_103);
  const moments = Array.from({ length: states }, () => Math.trunc(random() * ops.length)).toSorted((a, b) => a - b);
  const disk = new Disk();
  const acknowledged = new Map<StreamName, number>();
  const seen = { states, acknowledged: 0, statesWithAcks: 0, lostStates: 0, mostLost: 0, damaged: [] as string[] };
  const look = async (state: number, files: ReadonlyMap<string, Buffer>, acks: ReadonlyMap<StreamName, number>) => {
    const { damage, lost } = await inspect(join(home, `cut-${state}`), files, acks);
    if (acks.size > 0) seen.statesWithAcks += 1;
    if (damage !== null) seen.damaged.push(damage);
    if (lost > 0) seen.lostStates += 1;
    seen.mostLost = Math.max(seen.mostLost, lost);
  };
  let looking: Promise<void>[] = [];
  let next = 0;
  for (const [index, op] of ops.entries()) {
    apply(op, disk, acknowledged);
    for (; moments[next] === index; next += 1) {
      looking.push(look(next, disk.cut(random), new Map(acknowledged)));
      if (looking.length < AT_ONCE) continue;
      await Promise.all(looking);
      looking = [];
    }
  }
  await Promise.all(looking);
  for (const rounds of acknowledged.values()) seen.acknowledged += rounds;
  return seen;
}

function apply(op: Op, disk: Disk, acknowledged: Map<StreamName, number>): void {
  if (op.name !== NOTES) return disk.apply(op);
  const [stream, round] = op.bytes.toString().trim().split(" ");
  if (round !== undefined) acknowledged.set(stream as StreamName, Number(round));
}

async function inspect(
  folder: string,
  files: ReadonlyMap<string, Buffer>,
  acknowledged: ReadonlyMap<StreamName, number>,
): Promise<Findings> {
  mkdirSync(folder);
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  const file = join(folder, "stonechat.db");
  try {
    const store = await openSqlite({ file });
    let lost = 0;
    for (const { stream, rounds } of wanted) {
      const bodies = new Set((await store.read.events(stream, 0, 1_000_000)).map(({ body }) => body));
      lost += rounds.slice(0, acknowledged.get(stream) ?? 0).filter(({ body }) => !bodies.has(body)).length;
    }
    await store.close();
    return { damage: findDamage(file), lost };
  } catch (error) {
    return { damage: String(error), lost: 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The file is intact, and every batch is stored completely or not at all. */
function findDamage(file: string): string | null {
  const db = openConnection({ file, readonly: true });
  try {
    const integrity = db.pragma("integrity_check", { simple: true });
    if (integrity !== "ok") return String(integrity);
    const users = new Set(db.prepare<[], string>("select id from users").pluck().all());
    const bodies = new Set(db.prepare<[], string>("select body from events").pluck().all());
    for (const { user, body } of wanted.flatMap(({ rounds }) => rounds)) {
      if (users.has(user) !== bodies.has(body)) return `half of the batch of ${user}`;
    }
    return null;
  } finally {
    db.close();
  }
}

function report(mode: string, { ops }: Recording, seen: Awaited<ReturnType<typeof explore>>): void {
  const syncs = ops.filter(({ kind }) => kind === "sync").length;
  console.log(
    `power loss, ${mode}: ${ops.length} operations, ${syncs} syncs, ${seen.acknowledged} acknowledged commits, ` +
      `${seen.states} states (${seen.statesWithAcks} with acknowledgements), ${seen.lostStates} with a loss (at most ${seen.mostLost} commits), ` +
      `${seen.damaged.length} damaged`,
  );
}

/** Deterministic for a seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}
