import { ConfigError } from "../config/config-error.ts";
import { createAudit } from "../auth/audit.ts";
import { withAccounts, type Config } from "../config/config.ts";
import { systemClock } from "../lib/clock.ts";
import { systemIds } from "../lib/ids.ts";
import { createLog } from "../log/log.ts";
import type { Store } from "../store/contract.ts";
import { openStore } from "../store/open.ts";
import { createPeople } from "./people.ts";

/** The configuration of the mode: with accounts if it says so or if the database has accounts. */
export async function findMode(
  config: Config,
  { read, close }: Store,
  onNote: (note: string) => void,
): Promise<Config> {
  const hasAccounts = config.accounts === "on" || (await read.hasAccounts());
  if (!hasAccounts) return { ...config, accounts: "off" };
  if (config.accounts === "off") {
    await close();
    const text = "The threads of this database belong to accounts, and STONECHAT_ACCOUNTS is off. Remove that setting.";
    throw new ConfigError(text);
  }
  if (config.token !== null) {
    onNote("STONECHAT_TOKEN is not accepted, because this server has accounts. Other programs need API keys.");
  }
  return withAccounts(config);
}

type ResetUrl = {
  readonly url: string;
  /** After the new password, a code of the account's authenticator app is needed. */
  readonly needsCode: boolean;
};

/**
 * For the command line: a link that sets a new password for the account with this address. `removesFactors` also removes its passkeys,
 * authenticator app and recovery codes. With SQLite the server must be stopped.
 */
export async function createResetUrl(
  { dataDir, databaseUrl, publicUrl }: Config,
  email: string,
  { removesFactors = false } = {},
): Promise<ResetUrl> {
  const store = await openStore({ directory: dataDir, databaseUrl });
  const log = createLog({ store, clock: systemClock, onError: () => {} });
  try {
    const planAudit = createAudit({ clock: systemClock, ids: systemIds });
    const people = createPeople({ store, log, clock: systemClock, planAudit, planMail: null, needsEmail: false });
    const { path, needsCode } = await people.createResetLinkFor(email, { removesFactors });
    return { url: `${publicUrl}${path}`, needsCode };
  } finally {
    await log.close();
    await store.close();
  }
}
