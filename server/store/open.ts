import { join } from "node:path";
import type { Store } from "./contract.ts";
import { openSqlite } from "./sqlite/open.ts";

type Options = { readonly directory: string; readonly databaseUrl: string | null };

/** PostgreSQL where a URL is given, else one file in the data folder. The other's driver is not even loaded. */
export async function openStore({ directory, databaseUrl }: Options): Promise<Store> {
  if (databaseUrl === null) return openSqlite({ file: join(directory, "stonechat.db") });
  const { openPostgres } = await import("./postgres/open.ts");
  return openPostgres({ url: databaseUrl });
}
