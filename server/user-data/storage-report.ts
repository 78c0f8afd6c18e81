import type { StorageReport } from "../../protocol/account/storage.ts";
import type { Config } from "../config/config.ts";
import { DAY_MS, type Clock } from "../lib/clock.ts";
import type { Store } from "../store/contract.ts";
import { measureStorage, type MeasuredStorage } from "./measure-storage.ts";

const MOST_ACCOUNTS = 50;

type Options = {
  readonly config: Pick<Config, "dataDir" | "retention">;
  readonly store: Pick<Store, "kind" | "read">;
  readonly clock: Clock;
};

/** What `stonechat storage` prints, for the page. Requests during a measurement share its result. */
export function createStorageReport({ config, store, clock }: Options) {
  let running: Promise<MeasuredStorage> | undefined;
  const measure = (): Promise<MeasuredStorage> =>
    (running ??= measureStorage({
      ...{ read: store.read, kind: store.kind, dataDir: config.dataDir, now: clock.now() },
    }).finally(() => {
      running = undefined;
    }));
  return async ({ userId }: { readonly userId: string }): Promise<StorageReport> =>
    toReport(await measure(), userId, config.retention);
}

/** The titles and ids of others' threads are left out, because they are private also from admins. */
function toReport(
  { owners, hasAccounts, largestThreads, ...measured }: MeasuredStorage,
  userId: string,
  { archiveMs, deleteMs, receiptsMs }: Config["retention"],
): StorageReport {
  const accounts = (hasAccounts ? owners : []).map(({ owner: id, email, count: threads, bytes }) => ({
    ...{ id, email, threads, bytes },
  }));
  const others = accounts.slice(MOST_ACCOUNTS);
  return {
    ...measured,
    accounts: accounts.slice(0, MOST_ACCOUNTS),
    otherAccounts: {
      count: others.length,
      threads: others.reduce((sum, { threads }) => sum + threads, 0),
      bytes: others.reduce((sum, { bytes }) => sum + bytes, 0),
    },
    largestThreads: largestThreads.map(({ id, owner, email, title, updated_at: updatedAt, bytes }) => ({
      ...{ email, bytes },
      own: owner === userId ? { id, title, updatedAt } : null,
    })),
    rules: {
      archiveThreadsDays: toDays(archiveMs),
      deleteThreadsDays: toDays(deleteMs),
      deleteReceiptsDays: toDays(receiptsMs),
    },
  };
}

const toDays = (ms: number | null): number | null => (ms === null ? null : ms / DAY_MS);
