/** What a table has under a name that others chose: "constructor" and its like are in every object, and in no table. */
export const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
