import { createAllowList } from "./allow-list.ts";
import { NetError } from "./net-error.ts";
import { locate, parseUrl, systemResolve } from "./target.ts";

/**
 * Checks an address that the user entered. Returns why it is refused, or undefined. A name that cannot be resolved now
 * is accepted, because it is checked again on every connection.
 */
export async function checkAddress(text: string, allowPrivate: readonly string[]): Promise<string | undefined> {
  try {
    await locate(parseUrl(text), createAllowList(allowPrivate), systemResolve);
    return undefined;
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    return error.code === "dns" ? undefined : error.message;
  }
}
