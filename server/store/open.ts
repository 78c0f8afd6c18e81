import { join } from "node:path";
import type { Store } from "./contract.ts";
import { openPostgres } from "./postgres/open.ts";
import { openSqlite } from "./sqlite/open.ts";

type Options = { readonly directory: string; readonly databaseUrl: string | null };

/** PostgreSQL where a URL is given, else one file in the data folder. */
export const openStore = ({ directory, databaseUrl }: Options): Promise<Store> =>
  databaseUrl ? openPostgres({ url: databaseUrl }) : openSqlite({ file: join(directory, "stonechat.db") });
