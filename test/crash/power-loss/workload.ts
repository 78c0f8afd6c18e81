import { openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { threadStream, type StreamName } from "../../../protocol/ids.ts";
import type { Batch } from "../../../server/store/contract.ts";
import { openSqlite } from "../../../server/store/sqlite/open.ts";
import { rows } from "../../support/store-rows.ts";

/** The batch of each workload round. It is checked again after the power cut. */
export const streams: readonly StreamName[] = [threadStream("one"), threadStream("two")];
export const bodyOf = (stream: StreamName, round: number): string =>
  JSON.stringify({ stream, round, text: `${round} `.repeat(100 + ((round * 37) % 900)) });
export const userOf = (stream: StreamName, round: number): string => `${stream} ${round}`;
export const NOTES = "notes";

const toBatch = (stream: StreamName, round: number): Batch => ({
  events: [
    { stream, body: bodyOf(stream, round) },
    { stream, body: '"delta"', transient: true },
  ],
  writes: [
    { do: "insert", table: "users", row: rows.user(userOf(stream, round)) },
    { do: "delete", table: "events", where: { stream, transient: 1, seq: { gt: Math.max(0, 2 * round - 20) } } },
  ],
});

/**
 * Runs under the recorder: two concurrent writers on the real store, which is closed and reopened halfway. After each commit a
 * note records the acknowledgement in the same recording as the writes and syncs.
 */
export async function runWorkload(folder: string, synchronous: "FULL" | "NORMAL", rounds: number): Promise<void> {
  const notes = openSync(join(folder, NOTES), "a");
  const note = (text: string) => void writeSync(notes, `${text}\n`);
  for (const [first, last] of [
    [1, Math.trunc(rounds / 2)],
    [Math.trunc(rounds / 2) + 1, rounds],
  ] as const) {
    const store = await openSqlite({ file: join(folder, "stonechat.db"), synchronous });
    note("serving");
    const write = async (stream: StreamName) => {
      for (let round = first; round <= last; round += 1) {
        const [result] = await store.commit([toBatch(stream, round)]);
        if (!result?.ok) throw new Error(`Round ${round} was rejected.`);
        note(`${stream} ${round}`);
      }
    };
    await Promise.all(streams.map(write));
    note("stopping");
    if (last < rounds) await store.close();
    else process.exit(0);
  }
}

if (import.meta.main) {
  const [folder = "", synchronous = "", rounds = ""] = process.argv.slice(2);
  await runWorkload(folder, synchronous === "NORMAL" ? "NORMAL" : "FULL", Number(rounds));
}
