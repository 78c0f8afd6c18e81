import { sql, type Kysely, type RawBuilder } from "kysely";
import type { Tables } from "../../schema.ts";

/**
 * Looks up the items of a list one by one, regardless of the planner's estimate: `w` is the list, left-joined with the wanted
 * rows. Items that were not found have an empty key and are dropped.
 */
export async function readEach<R extends object>(
  db: Kysely<Tables>,
  list: readonly string[],
  key: keyof R,
  toQuery: (w: RawBuilder<unknown>) => RawBuilder<R>,
): Promise<readonly R[]> {
  if (list.length === 0) return [];
  const values = [...new Set(list)].map((one) => sql`(cast(${one} as text))`);
  const { rows } = await toQuery(sql`(values ${sql.join(values)}) as w`).execute(db);
  return rows.filter((row) => row[key] !== null);
}
