import { StorageFull, Unavailable } from "../failure.ts";

/** Error codes, or their two-letter classes, of temporary failures. */
const outages = new Set(["08", "57", "53", "58", "25006", "25P03", "25P04", "55P03"]);
const lostConnection =
  /Connection terminated|Connection ended|timeout e|Query read timeout|not queryable|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT/;

/** Converts driver errors to errors that callers of the store handle. Other errors are bugs and are returned unchanged. */
export function toPostgresError(error: unknown): Error {
  if (error instanceof Unavailable || error instanceof StorageFull) return error;
  if (!(error instanceof Error)) return new Error(String(error));
  const code = codeOf(error);
  if (code === "53100") return new StorageFull("PostgreSQL's disk is full. Free some space there and try again.");
  if (outages.has(code) || outages.has(code.slice(0, 2)) || lostConnection.test(`${code} ${error.message}`)) {
    return new Unavailable(`PostgreSQL is unavailable: ${error.message || code}`, { cause: error });
  }
  return error;
}

/** Serialization failure or deadlock: retrying the same transaction may succeed. */
export const isTransient = (error: unknown): boolean => ["40001", "40P01"].includes(codeOf(error));

/**
 * The statement was prepared before the schema changed, or this connection no longer knows it: 0A000 "cached plan must not
 * change result type", 26000 unknown and 42P05 duplicate statement. A new connection prepares it again.
 */
export const isStalePlan = (error: unknown): boolean => {
  const code = codeOf(error);
  if (code === "0A000") return /cached plan must not change result type/.test((error as Error).message);
  return code === "26000" || code === "42P05";
};

/** A constraint was violated: the batch failed, not the database. */
export function toWhy(error: unknown): "missing" | "conflict" | undefined {
  const code = codeOf(error);
  if (code === "23503") return "missing";
  return code.startsWith("23") ? "conflict" : undefined;
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}
