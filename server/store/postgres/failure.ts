import { StorageFull, Unavailable } from "../failure.ts";

/** Server-side codes, whole or by their class of two letters, that say "not now" rather than "never". */
const outages = new Set(["08", "57", "53", "58", "25006", "25P03", "25P04", "55P03"]);
const lostConnection =
  /Connection terminated|Connection ended|timeout e|Query read timeout|not queryable|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT/;

/** What the driver threw, as what a caller of the store can act on. Other errors are bugs and stay as they are. */
export function toFailure(error: unknown): Error {
  if (error instanceof Unavailable || error instanceof StorageFull) return error;
  if (!(error instanceof Error)) return new Error(String(error));
  const code = codeOf(error);
  if (code === "53100") return new StorageFull("PostgreSQL's disk is full: free some space there and try again");
  if (outages.has(code) || outages.has(code.slice(0, 2)) || lostConnection.test(`${code} ${error.message}`)) {
    return new Unavailable(`PostgreSQL cannot be used right now: ${error.message || code}`, { cause: error });
  }
  return error;
}

/** The transaction was undone by the server for the sake of another: the same again may well pass. */
export const isTransient = (error: unknown): boolean => ["40001", "40P01"].includes(codeOf(error));

/**
 * The statement was prepared before the schema changed, or is not known to this connection any more: 0A000 "cached plan must
 * not change result type", 26000 unknown and 42P05 duplicate statement. On a new connection it is prepared again.
 */
export const isStalePlan = (error: unknown): boolean => {
  const code = codeOf(error);
  if (code === "0A000") return /cached plan must not change result type/.test((error as Error).message);
  return code === "26000" || code === "42P05";
};

/** A constraint said no: the batch is at fault, not the database. */
export function toWhy(error: unknown): "missing" | "conflict" | undefined {
  const code = codeOf(error);
  if (code === "23503") return "missing";
  return code.startsWith("23") ? "conflict" : undefined;
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}
