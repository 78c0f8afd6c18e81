import type { Config } from "../config/config.ts";
import { systemClock } from "../lib/clock.ts";
import { formatBytes } from "../lib/format-bytes.ts";
import { openForReading } from "../store/open.ts";
import { measureStorage } from "./measure-storage.ts";

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
    const kind = databaseUrl === null ? "sqlite" : "postgres";
    const { database, content, owners, hasAccounts, largestThreads, freeable } = await measureStorage({
      ...{ read, kind, dataDir, now: systemClock.now() },
    });
    line(database.bytes, kind === "sqlite" ? "SQLite database" : "PostgreSQL database");
    say("\nContent by kind");
    for (const [name, text] of Object.entries(names)) line(content[name as keyof typeof names], text);
    if (hasAccounts) say("\nContent by account");
    if (hasAccounts)
      for (const { owner, email, count, bytes } of owners) line(bytes, `${email ?? owner}, ${toThreads(count)}`);
    say("\nLargest threads");
    // With accounts, titles are for their owners only.
    for (const { id, owner, email, title, updated_at: at, bytes } of largestThreads)
      line(bytes, `${new Date(at).toISOString().slice(0, 10)}  ${id}  ${hasAccounts ? (email ?? owner) : title}`);
    say("\nCan be freed");
    for (const { days, threads, receipts } of freeable.ages) {
      line(
        threads.bytes,
        `${toThreads(threads.count)} not changed for ${days} days (STONECHAT_DELETE_THREADS_DAYS=${days})`,
      );
      line(receipts.bytes, `what the model saw, older than ${days} days (STONECHAT_DELETE_RECEIPTS_DAYS=${days})`);
    }
    if (freeable.copiesBytes !== null)
      line(freeable.copiesBytes, "copies from before migrations, removed after 14 days");
    if (freeable.unusedBytes !== null)
      line(
        freeable.unusedBytes,
        "unused space in the file: new data uses it; `stonechat compact` returns it to the disk",
      );
    return 0;
  } finally {
    await close();
  }
}

const toThreads = (count: number): string => (count === 1 ? "1 thread" : `${count.toLocaleString("en")} threads`);
