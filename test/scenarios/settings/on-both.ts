import { afterAll, beforeAll, describe } from "vitest";
import { findPostgres } from "../../support/postgres-binaries.ts";
import { startPostgres, type Postgres } from "../../support/postgres.ts";
import { startInstance, type Instance } from "../../support/instance.ts";

type Options = NonNullable<Parameters<typeof startInstance>[0]>;

/** A server on a database of its own; or on the one given, beside another. */
export type Start = (options?: Options, databaseUrl?: string) => Promise<Instance & { readonly databaseUrl: string }>;

export const SECRET_KEY = Buffer.alloc(32, 7).toString("base64url");

/** The same cases on both databases, real ones. */
export function describeOnBoth(name: string, cases: (start: Start, kind: "sqlite" | "postgres") => void): void {
  const onSqlite: Start = async (options) => ({ ...(await startInstance(options)), databaseUrl: "" });
  describe(`${name} on SQLite`, () => void cases(onSqlite, "sqlite"));
  describe.skipIf(!findPostgres())(`${name} on PostgreSQL`, () => {
    let postgres: Postgres;
    beforeAll(async () => {
      postgres = await startPostgres();
    });
    afterAll(() => postgres.close());
    cases(async (options = {}, given) => {
      const databaseUrl = given ?? (await postgres.createDatabase());
      const env = { STONECHAT_DATABASE_URL: databaseUrl, STONECHAT_SECRET_KEY: SECRET_KEY, ...options.env };
      return { ...(await startInstance({ ...options, env })), databaseUrl };
    }, "postgres");
  });
}
