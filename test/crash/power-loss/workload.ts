import { openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { threadStream, type StreamName } from "../../../protocol/ids.ts";
import type { Batch, Store } from "../../../server/store/contract.ts";
import { Unavailable } from "../../../server/store/failure.ts";
import { openSqlite } from "../../../server/store/sqlite/open.ts";
import { until } from "../../support/server/until.ts";
import { expectOk, rows } from "../../support/store-rows.ts";
import type { Mode } from "./recorder.ts";

/** The batches of each workload round, as a run writes them: deltas of a step, then the batch that settles it. */
export const streams: readonly StreamName[] = [threadStream("one"), threadStream("two")];
export const bodyOf = (stream: StreamName, round: number): string =>
  JSON.stringify({ stream, round, text: `${round} `.repeat(400 + ((round * 148) % 3600)) });
export const userOf = (stream: StreamName, round: number): string => `${stream} ${round}`;
export const NOTES = "notes";

const DELTAS_PER_BATCH = 2;
const MOST_DELTA_BATCHES = 3;
/** The bodies of each delta batch of a round. Some steps have none, as a step that only calls a tool. */
export const deltasOf = (stream: StreamName, round: number): readonly (readonly string[])[] =>
  Array.from({ length: round % (MOST_DELTA_BATCHES + 1) }, (_, n) =>
    Array.from({ length: DELTAS_PER_BATCH }, (_, m) => JSON.stringify({ delta: `${stream} ${round} ${n} ${m}` })),
  );

/** An acknowledged batch: the settling one of its round, or one of its delta batches. `seq` is that of its first event. */
export type Acknowledgement = { readonly round: number; readonly batch: number | "settled"; readonly seq: number };
export const toNote = (stream: StreamName, { round, batch, seq }: Acknowledgement): string =>
  `${stream} ${round} ${batch} ${seq}`;
export function readNote(note: string): (Acknowledgement & { readonly stream: StreamName }) | undefined {
  const [stream, round, batch, seq] = note.trim().split(" ");
  if (round === undefined) return undefined;
  const which = batch === "settled" ? batch : Number(batch);
  return { stream: stream as StreamName, round: Number(round), batch: which, seq: Number(seq) };
}

type Step = { readonly stream: StreamName; readonly epoch: number; readonly after: number };

const toDeltas = ({ stream, epoch }: Step, bodies: readonly string[]): Batch => ({
  fence: { stream, epoch },
  events: bodies.map((body) => ({ stream, body, transient: true })),
  writes: [],
});

const toSettling = ({ stream, epoch, after }: Step, round: number): Batch => ({
  fence: { stream, epoch },
  events: [
    { stream, body: bodyOf(stream, round) },
    { stream, body: '"open call"', transient: true },
  ],
  writes: [
    { do: "insert", table: "users", row: rows.user(userOf(stream, round)) },
    { do: "delete", table: "events", where: { stream, transient: 1, seq: { gt: after } } },
  ],
});

/**
 * Runs under the recorder: two concurrent writers on the real store, which is closed and reopened halfway. After each commit a
 * note records the acknowledgement in the same recording as the writes and syncs.
 */
export async function runWorkload(folder: string, mode: Mode, rounds: number): Promise<void> {
  const synchronous = mode === "NORMAL" ? "NORMAL" : "FULL";
  const flag = process.env["TEST_FAIL_SYNCS"];
  const notes = openSync(join(folder, NOTES), "a");
  const note = (text: string) => void writeSync(notes, `${text}\n`);
  for (const [first, last] of [
    [1, Math.trunc(rounds / 2)],
    [Math.trunc(rounds / 2) + 1, rounds],
  ] as const) {
    const store = await openSqlite({ file: join(folder, "stonechat.db"), synchronous });
    note("serving");
    const epochs = new Map<StreamName, number>();
    for (const stream of streams) epochs.set(stream, await claim(store, stream));
    const write = async (stream: StreamName) => {
      const epoch = epochs.get(stream) ?? 0;
      let after = (await store.read.lease(stream)).head;
      for (let round = first; round <= last; round += 1) {
        for (const [batch, bodies] of deltasOf(stream, round).entries()) {
          const seqs = await commit(store, toDeltas({ stream, epoch, after }, bodies));
          note(toNote(stream, { round, batch, seq: seqs[0] ?? 0 }));
        }
        const seqs = await commit(store, toSettling({ stream, epoch, after }, round));
        after = seqs[0] ?? 0;
        note(toNote(stream, { round, batch: "settled", seq: after }));
      }
    };
    if (flag) writeFileSync(flag, "");
    let isWriting = true;
    const hold = async () => {
      while (isWriting) await holdSnapshot(store);
    };
    const held = hold();
    await Promise.all(streams.map(write));
    isWriting = false;
    await held;
    note("stopping");
    if (last === rounds) process.exit(0);
    await store.close().catch(failUnless(flag !== undefined));
    if (flag) rmSync(flag);
  }
}

const [HELD_COMMITS, MOST_LOOKS] = [40, 15];

/** A reader with an old snapshot: a checkpoint copies the pages before it only, and does not sync them. */
async function holdSnapshot(store: Store): Promise<void> {
  const head = async () => (await store.read.lease(threadStream("one"))).head;
  const from = await head();
  let looks = 0;
  const isEnough = async () => ++looks > MOST_LOOKS || (await head()) > from + HELD_COMMITS;
  await store.read.together(() => until("there are many commits", isEnough));
}

/** Repeats a commit that failed with the disk, as clients do. */
async function commit(store: Store, batch: Batch): Promise<readonly number[]> {
  let seqs: readonly number[] | undefined;
  await until("the batch is stored", async () => {
    const results = await store.commit([batch]).catch((error: unknown) => {
      if (!(error instanceof Unavailable)) throw error;
    });
    if (results) seqs = expectOk(results[0]).seqs;
    return results !== undefined;
  });
  return seqs ?? [];
}

const failUnless = (isExpected: boolean) => (error: unknown) => {
  if (!isExpected) throw error;
};

/** Creates the stream if needed, and claims its lease. */
async function claim(store: Store, stream: StreamName): Promise<number> {
  await store.commit([{ events: [{ stream, body: '"start"' }], writes: [] }]);
  const fence = {
    stream,
    epoch: (await store.read.lease(stream)).epoch,
    acquire: { holder: "workload", ttlMs: 60_000 },
  };
  return expectOk((await store.commit([{ fence, events: [], writes: [] }]))[0]).epoch ?? 0;
}

if (import.meta.main) {
  const [folder = "", mode = "", rounds = ""] = process.argv.slice(2);
  await runWorkload(folder, mode as Mode, Number(rounds));
}
