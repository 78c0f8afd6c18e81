import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StreamName } from "../../protocol/ids.ts";
import { openConnection } from "../../server/store/sqlite/connection.ts";
import { openSqlite } from "../../server/store/sqlite/open.ts";
import { Disk } from "./power-loss/disk.ts";
import { canRecord, record, type Op, type Recording } from "./power-loss/recorder.ts";
import { bodyOf, deltasOf, NOTES, readNote, streams, userOf, type Acknowledgement } from "./power-loss/workload.ts";

const STATES = process.env["STONECHAT_DEEP"] === "1" ? 10_000 : 60;
const ROUNDS = 160;
const AT_ONCE = 4;

/** The recorded workload, created once. */
const wanted = streams.map((stream) => ({
  stream,
  rounds: Array.from({ length: ROUNDS }, (_, n) => ({
    round: n + 1,
    body: bodyOf(stream, n + 1),
    user: userOf(stream, n + 1),
    deltas: deltasOf(stream, n + 1),
  })),
}));
const BATCHES = wanted.flatMap(({ rounds }) => rounds).reduce((sum, { deltas }) => sum + deltas.length + 1, 0);

type AcksByStream = ReadonlyMap<StreamName, readonly Acknowledgement[]>;
type Findings = { readonly damage: string | null; readonly lost: number; readonly hasDeltas: boolean };

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
    expect(seen.acknowledged).toBe(BATCHES);
    expect(seen.statesWithAcks).toBeGreaterThan(STATES * 0.8);
    expect(seen.statesWithDeltas).toBeGreaterThan(STATES * 0.5);
    expect(seen).toMatchObject({ damaged: [], lostStates: 0 });
  });

  test("a failed sync loses no acknowledged commit, also after later syncs succeed", async () => {
    const recording = record(home, "failing", ROUNDS);
    const failed = (end: string) =>
      recording.ops.filter(({ kind, name }) => kind === "failed-sync" && name.endsWith(end)).length;
    console.log(`failed syncs: ${failed(".db")} of the database, ${failed("-wal")} of the WAL`);
    const seen = await explore(recording, STATES / 10);
    report("FULL, failing syncs", recording, seen);
    expect(failed(".db")).toBeGreaterThan(0);
    expect(failed("-wal")).toBeGreaterThan(5);
    expect(seen.acknowledged).toBe(BATCHES);
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
  const acknowledged = new Map<StreamName, Acknowledgement[]>(streams.map((stream) => [stream, []]));
  const count = (acks: AcksByStream) => [...acks.values()].reduce((sum, list) => sum + list.length, 0);
  const seen = {
    states,
    acknowledged: 0,
    statesWithAcks: 0,
    statesWithDeltas: 0,
    lostStates: 0,
    mostLost: 0,
    damaged: [] as string[],
  };
  const look = async (state: number, files: ReadonlyMap<string, Buffer>, acks: AcksByStream) => {
    const { damage, lost, hasDeltas } = await inspect(join(home, `cut-${state}`), files, acks);
    if (count(acks) > 0) seen.statesWithAcks += 1;
    if (hasDeltas) seen.statesWithDeltas += 1;
    if (damage !== null) seen.damaged.push(damage);
    if (lost > 0) seen.lostStates += 1;
    seen.mostLost = Math.max(seen.mostLost, lost);
  };
  let looking: Promise<void>[] = [];
  let next = 0;
  for (const [index, op] of ops.entries()) {
    apply(op, disk, acknowledged, random);
    for (; moments[next] === index; next += 1) {
      const acks = new Map([...acknowledged].map(([stream, list]) => [stream, [...list]]));
      looking.push(look(next, disk.cut(random), acks));
      if (looking.length < AT_ONCE) continue;
      await Promise.all(looking);
      looking = [];
    }
  }
  await Promise.all(looking);
  seen.acknowledged = count(acknowledged);
  return seen;
}

type Acknowledgements = ReadonlyMap<StreamName, Acknowledgement[]>;

function apply(op: Op, disk: Disk, acknowledged: Acknowledgements, random: () => number): void {
  if (op.name !== NOTES) return disk.apply(op, random);
  const note = readNote(op.bytes.toString());
  if (note) acknowledged.get(note.stream)?.push(note);
}

async function inspect(
  folder: string,
  files: ReadonlyMap<string, Buffer>,
  acknowledged: AcksByStream,
): Promise<Findings> {
  mkdirSync(folder);
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  const file = join(folder, "stonechat.db");
  try {
    const store = await openSqlite({ file });
    let lost = 0;
    let hasDeltas = false;
    for (const { stream } of wanted) {
      const bodies = new Map((await store.read.events(stream, 0, 1_000_000)).map(({ seq, body }) => [seq, body]));
      const found = findLost(stream, bodies, acknowledged.get(stream) ?? []);
      lost += found.lost;
      hasDeltas ||= found.deltas > 0;
    }
    await store.close();
    return { damage: findDamage(file), lost, hasDeltas };
  } catch (error) {
    return { damage: String(error), lost: 0, hasDeltas: false };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each acknowledged batch is at its seqs, except the deltas of a settled step. `deltas` counts the delta batches that must be there. */
function findLost(stream: StreamName, bodies: ReadonlyMap<number, string>, acks: readonly Acknowledgement[]) {
  const stored = new Set(bodies.values());
  const rounds = wanted.find((one) => one.stream === stream)?.rounds ?? [];
  const found = { lost: 0, deltas: 0 };
  for (const { round, batch, seq } of acks) {
    const written = rounds[round - 1];
    if (!written) throw new Error(`Round ${round} was not written.`);
    if (batch !== "settled" && stored.has(written.body)) continue;
    if (batch !== "settled") found.deltas += 1;
    const expected = batch === "settled" ? [written.body] : (written.deltas[batch] ?? []);
    if (expected.some((one, n) => bodies.get(seq + n) !== one)) found.lost += 1;
  }
  return found;
}

/** The file is intact, and every batch is stored completely or not at all. */
function findDamage(file: string): string | null {
  const db = openConnection({ file, readonly: true });
  try {
    const integrity = db.pragma("integrity_check", { simple: true });
    if (integrity !== "ok") return String(integrity);
    const users = new Set(db.prepare<[], string>("select id from users").pluck().all());
    const bodies = new Set(db.prepare<[], string>("select body from events").pluck().all());
    for (const { user, body, deltas } of wanted.flatMap(({ rounds }) => rounds)) {
      if (users.has(user) !== bodies.has(body)) return `half of the batch of ${user}`;
      for (const batch of deltas) {
        const left = batch.filter((delta) => bodies.has(delta)).length;
        if (left > 0 && bodies.has(body)) return `deltas of the settled step of ${user}`;
        if (left > 0 && left < batch.length) return `half of a delta batch of ${user}`;
      }
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
      `${seen.states} states (${seen.statesWithAcks} with acknowledgements, ${seen.statesWithDeltas} with deltas), ${seen.lostStates} with a loss (at most ${seen.mostLost} commits), ` +
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
