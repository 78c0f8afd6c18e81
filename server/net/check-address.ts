import { lookup } from "node:dns/promises";
import { createAllowList } from "./allow-list.ts";
import { NetError } from "./net-error.ts";
import { locate, parseUrl } from "./target.ts";

/**
 * Whether an address that a person typed may be kept: the sentence that says why not, or undefined. Of a name that cannot be
 * found now nothing is known yet: whoever connects checks again.
 */
export async function checkAddress(text: string, allowPrivate: readonly string[]): Promise<string | undefined> {
  try {
    await locate(parseUrl(text), createAllowList(allowPrivate), resolve);
    return undefined;
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    return error.code === "dns" ? undefined : error.message;
  }
}

const resolve = async (name: string): Promise<readonly string[]> =>
  (await lookup(name, { all: true, order: "verbatim" })).map(({ address }) => address);
