import { afterAll, beforeAll, describe } from "vitest";
import { findPostgres } from "../support/postgres-binaries.ts";
import { startPostgres, type Postgres } from "../support/postgres.ts";
import { tryEveryCell } from "./failpoints/every-cell.ts";

describe.skipIf(!findPostgres())("a process on PostgreSQL that dies at a failpoint", () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.close());
  tryEveryCell({ createDatabase: () => postgres.createDatabase() });
});
