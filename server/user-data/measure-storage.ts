import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS } from "../lib/clock.ts";
import type { Reads } from "../store/contract.ts";

const AGES = [30, 90, 365];
const MOST_THREADS = 20;

type Options = {
  readonly read: Reads;
  readonly kind: "sqlite" | "postgres";
  readonly dataDir: string;
  readonly now: number;
};

export type MeasuredStorage = Awaited<ReturnType<typeof measureStorage>>;

/** Content by kind, account and thread, and the part that can be freed. Costs several scans of the database, one after another. */
export async function measureStorage({ read, kind, dataDir, now }: Options) {
  const { databaseBytes } = await read.instanceCounts();
  const { free, ...content } = await read.storedBytes();
  const owners = await read.storedByOwner();
  const threads = await read.largestThreads(MOST_THREADS);
  const ages = [];
  for (const days of AGES) ages.push({ days, ...(await read.deletableBefore(now - days * DAY_MS)) });
  const emails = new Map(owners.map(({ owner, email }) => [owner, email]));
  return {
    measuredAt: now,
    database: { kind, bytes: databaseBytes },
    content,
    owners,
    hasAccounts: owners.some(({ email }) => email !== null),
    largestThreads: threads.map((thread) => ({ ...thread, email: emails.get(thread.owner) ?? null })),
    freeable: {
      ages,
      copiesBytes: kind === "sqlite" ? sumCopies(dataDir) : null,
      unusedBytes: kind === "sqlite" ? free : null,
    },
  };
}

const sumCopies = (folder: string): number =>
  readdirSync(folder)
    .filter((name) => name.includes(".db.before-v"))
    .reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
