/** Ordered by bytes, as in SQLite. */
export const byBytes = (sql: string): string => sql.replaceAll(/(?<!\w)(\w+) text\b/g, '$1 text collate "C"');
