import { describe } from "vitest";
import { findPostgres } from "../../support/postgres-binaries.ts";
import { createDatabase } from "../../support/postgres.ts";
import { startInstance, type Instance } from "../../support/instance.ts";

type Options = NonNullable<Parameters<typeof startInstance>[0]>;

/** Starts a server on a new database, or on the given one as a second node. */
export type Start = (options?: Options, databaseUrl?: string) => Promise<Instance & { readonly databaseUrl: string }>;

export const SECRET_KEY = Buffer.alloc(32, 7).toString("base64url");

/** Runs the same tests on real SQLite and PostgreSQL databases. */
export function describeOnBoth(name: string, cases: (start: Start, kind: "sqlite" | "postgres") => void): void {
  const onSqlite: Start = async (options) => ({ ...(await startInstance(options)), databaseUrl: "" });
  describe(`${name} on SQLite`, () => void cases(onSqlite, "sqlite"));
  describe.skipIf(!findPostgres())(`${name} on PostgreSQL`, () => {
    cases(async (options = {}, given) => {
      const databaseUrl = given ?? (await createDatabase());
      const env = { STONECHAT_DATABASE_URL: databaseUrl, STONECHAT_SECRET_KEY: SECRET_KEY, ...options.env };
      return { ...(await startInstance({ ...options, env })), databaseUrl };
    }, "postgres");
  });
}
