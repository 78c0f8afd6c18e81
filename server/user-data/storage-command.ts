import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { DAY_MS, systemClock } from "../lib/clock.ts";
import { formatBytes } from "../lib/format-bytes.ts";
import { openForReading } from "../store/open.ts";

const AGES = [30, 90, 365];
const MOST_THREADS = 20;

const names = {
  messages: "messages",
  files: "attached files",
  artifacts: "stored pages and tool outputs",
  receipts: "what the model saw",
  search: "search and recall",
  events: "events for open pages",
} as const;

/** `storage`: what is stored, by kind, account and thread, and what can be freed. Changes nothing. */
export async function printStorage(config: Config, say: (line: string) => void): Promise<number> {
  const { dataDir, databaseUrl } = config;
  const { read, close } = await openForReading({ directory: dataDir, databaseUrl });
  const line = (bytes: number, text: string): void => say(`${formatBytes(bytes).padStart(10)}  ${text}`);
  try {
    const [{ databaseBytes }, { free, ...kinds }] = [await read.instanceCounts(), await read.storedBytes()];
    line(databaseBytes, databaseUrl === null ? "SQLite database" : "PostgreSQL database");
    say("\nContent by kind");
    for (const [kind, name] of Object.entries(names)) line(kinds[kind as keyof typeof kinds], name);
    const owners = await read.storedByOwner();
    const hasAccounts = owners.some(({ email }) => email !== null);
    if (hasAccounts) say("\nContent by account");
    if (hasAccounts)
      for (const { owner, email, count, bytes } of owners) line(bytes, `${email ?? owner}, ${toThreads(count)}`);
    say("\nLargest threads");
    // With accounts, titles are for their owners only.
    const emails = new Map(owners.map(({ owner, email }) => [owner, email ?? owner]));
    for (const { id, owner, title, updated_at: at, bytes } of await read.largestThreads(MOST_THREADS))
      line(bytes, `${new Date(at).toISOString().slice(0, 10)}  ${id}  ${hasAccounts ? emails.get(owner) : title}`);
    say("\nCan be freed");
    const now = systemClock.now();
    for (const days of AGES) {
      const { threads, receipts } = await read.deletableBefore(now - days * DAY_MS);
      line(
        threads.bytes,
        `${toThreads(threads.count)} not changed for ${days} days (STONECHAT_DELETE_THREADS_DAYS=${days})`,
      );
      line(receipts.bytes, `what the model saw, older than ${days} days (STONECHAT_DELETE_RECEIPTS_DAYS=${days})`);
    }
    if (databaseUrl === null) {
      const copies = listCopies(dataDir);
      line(copies, "copies from before migrations, removed after 14 days");
      line(free, "unused space in the file: new data uses it; `stonechat compact` returns it to the disk");
    }
    return 0;
  } finally {
    await close();
  }
}

const listCopies = (folder: string): number =>
  readdirSync(folder)
    .filter((name) => name.includes(".db.before-v"))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

const toThreads = (count: number): string => (count === 1 ? "1 thread" : `${count.toLocaleString("en")} threads`);
