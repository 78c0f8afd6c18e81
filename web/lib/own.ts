/** Looks up an untrusted name in a table: inherited names such as "constructor" are not found. */
export const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
