import type { Accounts, AccountsOptions } from "../accounts/accounts.ts";
import type { Authentication } from "../auth/authenticate.ts";
import type { PlanAudit } from "../auth/audit.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Seal } from "../lib/seal.ts";
import type { Log } from "../log/log.ts";
import { createStream } from "../net/open-stream.ts";
import type { Store } from "../store/contract.ts";
import { createIdentities, createOwnIdentities, type OwnIdentities } from "./identities.ts";
import { createMailer } from "./mailer.ts";
import { createMails, type Mails } from "./mails.ts";
import { createOidc, type Oidc } from "./oidc.ts";
import { createOidcClient } from "./oidc-client.ts";
import { toPasskeyOrigin } from "./passkey-site.ts";
import { createPasskeys, type Passkeys } from "./passkeys.ts";

export type { Mails } from "./mails.ts";
export type { Oidc } from "./oidc.ts";

/** Ways to sign in to accounts other than a password: passkeys, a provider of OpenID Connect, links by mail. */
export type OutsideSignIn = {
  readonly oidc: (Oidc & { readonly name: string }) | null;
  readonly mails: Mails | null;
  readonly canSignUp: boolean;
  readonly identities: OwnIdentities;
  readonly passkeys: Passkeys;
};

type Options = {
  readonly config: Config;
  readonly store: Store;
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Seal;
  readonly outgoing: Pick<Parameters<typeof createStream>[0], "userAgent" | "proxy">;
  readonly onNote: (note: string) => void;
};

/** null: this server sends no mail. */
export function openMails(options: Options, planAudit: PlanAudit): Mails | null {
  const { mail, signUpDomains } = options.config.signIn;
  if (mail === null) return null;
  const { publicUrl } = options.config;
  return createMails({ ...options, planAudit, publicUrl, signUpDomains, send: createMailer(mail) });
}

/** Options of accounts for these ways. */
export const toAccountsOptions = (
  { signIn }: Config,
  mails: Mails | null,
): Pick<AccountsOptions, "header" | "planInvitationMail" | "planEmailMails" | "maySignUp"> => ({
  header: signIn.header,
  planInvitationMail: mails?.planInvitation ?? null,
  planEmailMails: mails?.planEmailChange ?? null,
  maySignUp: mails?.maySignUp ?? (() => false),
});

export function openOutsideSignIn(options: Options, accounts: Accounts, mails: Mails | null): OutsideSignIn {
  const { config, store, log } = options;
  const { hasPublicUrl, publicUrl } = config;
  return {
    ...{ mails, oidc: openOidc(options, accounts, accounts.authentication) },
    canSignUp: mails !== null && config.signIn.signUpDomains.length > 0,
    identities: createOwnIdentities({ store, log, accounts }),
    passkeys: createPasskeys({ ...options, accounts, publicOrigin: hasPublicUrl ? toPasskeyOrigin(publicUrl) : null }),
  };
}

function openOidc(
  options: Options,
  accounts: Accounts,
  { findEnded }: Pick<Authentication, "findEnded">,
): OutsideSignIn["oidc"] {
  const { clock, seal, store, log, onNote, outgoing } = options;
  const { publicUrl, signIn } = options.config;
  if (signIn.oidc === null) return null;
  const redirectUri = `${publicUrl}/api/sign-in/oidc/callback`;
  // The operator chose the issuer, so it may be in the local network. No other feature may reach it there.
  const { hostname, port, protocol } = new URL(signIn.oidc.issuer);
  const allowPrivate = [`${hostname}:${port || (protocol === "https:" ? "443" : "80")}`];
  const stream = createStream({ ...outgoing, clock, allowPrivate });
  const client = createOidcClient({ config: signIn.oidc, redirectUri, clock, stream, onNote });
  const identities = createIdentities({ ...options, accounts, config: signIn.oidc });
  const oidc = createOidc({
    ...{ store, log, clock, seal, client, identities, findEnded },
    assertSetUp: accounts.assertSetUp,
    assertRecentProof: accounts.proof.assertRecent,
    isHttps: publicUrl.startsWith("https:"),
  });
  return { ...oidc, name: signIn.oidc.name };
}
