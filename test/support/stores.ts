import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import type { Store } from "../../server/store/contract.ts";
import { openPostgres } from "../../server/store/postgres/open.ts";
import { openSqlite } from "../../server/store/sqlite/open.ts";
import { findPostgres } from "./postgres-binaries.ts";
import { createDatabase } from "./postgres.ts";

/** One empty database for a group of tests, and ids that no other test has used. */
export type StoreFixture = {
  readonly kind: Store["kind"];
  readonly store: () => Store;
  /** Closes the store and opens the same database again. */
  readonly reopen: () => Promise<Store>;
  readonly id: (word: string) => string;
};

/** Runs the same tests on both databases. */
export function describeStores(name: string, cases: (bench: StoreFixture) => void): void {
  describe(`${name} on SQLite`, () => void cases(prepareSqlite()));
  describe.skipIf(!findPostgres())(`${name} on PostgreSQL`, () => void cases(preparePostgres()));
}

function prepareSqlite(): StoreFixture {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "stonechat-store-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return prepareStore("sqlite", () => openSqlite({ file: join(folder, "stonechat.db") }));
}

function preparePostgres(): StoreFixture {
  let url = "";
  beforeAll(async () => {
    url = await createDatabase();
  });
  return prepareStore("postgres", () => openPostgres({ url }));
}

/** Cleanup hooks run in reverse order: the store is closed before its database is removed. */
function prepareStore(kind: Store["kind"], open: () => Promise<Store>): StoreFixture {
  let store: Store | undefined;
  let count = 0;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(async () => {
    await store?.close();
  });
  return {
    kind,
    store: () => {
      if (!store) throw new Error("the store is not open yet");
      return store;
    },
    reopen: async () => {
      await store?.close();
      return (store = await open());
    },
    id: (word) => `${word}-${(count += 1)}`,
  };
}
