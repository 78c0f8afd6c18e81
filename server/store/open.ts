import { join } from "node:path";
import type { Store } from "./contract.ts";
import { openSqlite, openSqliteForReading } from "./sqlite/open.ts";

/** Reads beside a server that may be running: nothing is locked, migrated or written. */
export async function openForReading(options: Options): Promise<Pick<Store, "read" | "close">> {
  if (options.databaseUrl !== null) return openStore(options);
  return openSqliteForReading(join(options.directory, "stonechat.db"));
}

type Options = { readonly directory: string; readonly databaseUrl: string | null };

/** PostgreSQL where a URL is given, else one file in the data folder. The other's driver is not even loaded. */
export async function openStore({ directory, databaseUrl }: Options): Promise<Store> {
  if (databaseUrl === null) return openSqlite({ file: join(directory, "stonechat.db") });
  const { openPostgres } = await import("./postgres/open.ts");
  return openPostgres({ url: databaseUrl });
}
