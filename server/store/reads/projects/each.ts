import { sql, type Kysely, type RawBuilder } from "kysely";
import type { Tables } from "../../schema.ts";

/**
 * Each member of a list is looked up by itself, however long a planner thinks the list is: `w` is the list, left-joined with
 * what is wanted. Rows of what was not found are left out, told by their empty key.
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
