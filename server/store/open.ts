import { join } from "node:path";
import type { Report, Store } from "./contract.ts";
import { compactSqlite, openSqlite, openSqliteForReading } from "./sqlite/open.ts";

/** Opens the database for reading while a server may be running: nothing is locked, migrated or written. */
export async function openForReading(options: Options): Promise<Pick<Store, "read" | "close">> {
  if (options.databaseUrl !== null) return openStore(options);
  return openSqliteForReading(join(options.directory, "stonechat.db"));
}

type Options = {
  readonly directory: string;
  readonly databaseUrl: string | null;
  readonly report?: Report;
};

/** Rewrites the file so that it holds no deleted text and no unused space. The server must be stopped. */
export function compactStore({ directory, databaseUrl }: Options): void {
  if (databaseUrl !== null)
    throw new Error(
      "This command is for SQLite. PostgreSQL reclaims space automatically. Run VACUUM FULL there if you need to.",
    );
  compactSqlite(join(directory, "stonechat.db"));
}

/** PostgreSQL if a URL is set, otherwise one SQLite file in the data folder. The PostgreSQL driver is loaded only if used. */
export async function openStore({ directory, databaseUrl, report }: Options): Promise<Store> {
  const more = report ? { report } : {};
  if (databaseUrl === null) return openSqlite({ file: join(directory, "stonechat.db"), ...more });
  const { openPostgres } = await import("./postgres/open.ts");
  return openPostgres({ url: databaseUrl, ...more });
}
