import { ApiError } from "../../protocol/errors.ts";
import { createAudit } from "../auth/audit.ts";
import {
  createApiKeys,
  createFailureLimit,
  createSessions,
  type ApiKeys,
  type BrowserInfo,
} from "../auth/authenticate.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { randomVersion } from "../lib/random.ts";
import type { Seal } from "../lib/seal.ts";
import type { Log } from "../log/log.ts";
import { toNetwork } from "../net/client-address.ts";
import type { Store } from "../store/contract.ts";
import { createAccountAuthentication, NOT_SET_UP } from "./authentication.ts";
import { createAuthenticators } from "./authenticators.ts";
import { createCodeCheck } from "./code-check.ts";
import { createEmailChange, type PlanEmailMails } from "./email-change.ts";
import type { PlanInvitationMail } from "./invitations.ts";
import { createAccountLimits } from "./limits.ts";
import { createOwnAccount } from "./own-account.ts";
import { createPasswordSignIn } from "./password-sign-in.ts";
import { type HashPassword, createPasswords, type PasswordCost } from "./passwords.ts";
import { createPeople, type People } from "./people.ts";
import { createPersonDetails } from "./person-details.ts";
import { createProof } from "./proof.ts";
import { createProxyUsers } from "./proxy-users.ts";
import { createSecondFactor } from "./second-factor.ts";
import { createSessionPlans } from "./session-plans.ts";
import { createPasswordCheck } from "./sign-in.ts";
import { createSetup, createSignUp } from "./sign-up.ts";
import { createAccountThrottle } from "./throttle.ts";

export type { PlanEmailMails } from "./email-change.ts";
export type { PlanInvitationMail } from "./invitations.ts";
export type { People } from "./people.ts";
export type { PasswordCost } from "./passwords.ts";

/**
 * Accounts with email and password. The first admin is created with a link that the server prints, the others with invitations.
 * The first admin is the user `local`, so everything from before accounts belongs to them. Every change commits its audit
 * row in the same batch. Roles and states are read with each request, so that a change takes effect at once on every node.
 */
export type Accounts = ReturnType<typeof createAccounts>;

export type Browser = BrowserInfo & {
  readonly https: boolean;
  /** The header `Cookie`. */
  readonly cookies?: string | undefined;
  /** The header `Origin`. */
  readonly origin?: string | undefined;
};
export type SignedIn = { readonly value: { readonly userId: string }; readonly cookie: string };

export type AccountsOptions = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Seal;
  /** Called if the time of a key's last use cannot be stored. */
  readonly onError: (error: unknown) => void;
  /** Who creates accounts with a header of a trusted proxy; null: the header is ignored. */
  readonly header?: { readonly signUp: boolean } | null;
  /** null: this server sends no mail. */
  readonly planInvitationMail?: PlanInvitationMail | null;
  readonly planEmailMails?: PlanEmailMails | null;
  /** Whether an address may still sign up with a link by mail. */
  readonly maySignUp?: (email: string) => boolean;
  /** For tests: cheaper hashes. */
  readonly passwordCost?: PasswordCost | undefined;
};

/** Key of the hashes of session ids. The ids are random, so it need not be secret; it differs from every token. */
const SESSION_KEY = "accounts";

export function createAccounts(options: AccountsOptions) {
  const { store, log, clock, ids, seal } = options;
  const { read } = store;
  const planAudit = createAudit({ clock, ids });
  const findActive = createFindActive(store);
  const proof = createProof({ read, clock });
  const apiKeys: ApiKeys = createApiKeys({
    ...{ clock, read, log, onError: options.onError, planAudit, findActive },
    assertRecentProof: proof.assertRecent,
  });
  const sessions = createSessions({
    ...{ token: SESSION_KEY, clock, read, log, planAudit, findActive },
    planLock: (id) => [{ do: "update", table: "accounts", set: { changed_at: randomVersion() }, where: { id } }],
  });
  const failures = createFailureLimit(clock);
  const passwords = createPasswords(options.passwordCost);
  const checkPassword = createPasswordCheck({ read, passwords, failures, throttle: createAccountThrottle(clock) });
  const people: People = createPeople({
    ...{ store, log, clock, planAudit },
    planMail: options.planInvitationMail ?? null,
    needsEmail: Boolean(options.header),
  });

  const limits = createAccountLimits({ store, log, clock, planAudit });

  let isSetUp = false;
  /** Admins cannot delete their own account, so this is asked only until there is one. */
  const hasAdmin = async (): Promise<boolean> => (isSetUp ||= await read.hasAccounts());

  const assertSetUp = async (): Promise<void> => {
    if (!(await hasAdmin())) throw new ApiError("unauthenticated", NOT_SET_UP);
  };

  const hashNew: HashPassword = (password, address) =>
    passwords.hash(password, { network: toNetwork(address), isKnown: false });
  const { planSession, planSignIn } = createSessionPlans({ clock, sessions });

  const hasFixedEmail = Boolean(options.header);
  const planMails = options.planEmailMails ?? null;
  const emailChange = planMails && createEmailChange({ read, log, clock, planAudit, planMails, hasFixedEmail });
  const own = createOwnAccount({
    ...{ store, log, planAudit, sessions, proof, checkPassword, hashNew, hasFixedEmail },
    planEmailChange: emailChange?.plan ?? null,
  });
  const checkCode = createCodeCheck({ read, clock, seal, failures });
  const secondFactor = createSecondFactor({ read, log, clock, seal, planAudit, checkCode, planSignIn });

  return {
    sessions,
    apiKeys,
    people,
    limits,
    person: createPersonDetails({ read, clock, people, limits, apiKeys, sessions }),
    planAudit,
    authentication: createAccountAuthentication({
      ...{ read, sessions, keys: apiKeys, failures, hasAdmin },
      findProxyUser: options.header ? createProxyUsers({ store, log, clock, ids, planAudit, ...options.header }) : null,
      findActive,
    }),
    hasAdmin,
    assertSetUp,
    planSession,
    planSignIn,
    /** Changes of the user's own account. */
    own,
    /** null: this server sends no mail. */
    confirmEmail: emailChange?.confirmEmail ?? null,
    proof,
    failures,
    authenticators: createAuthenticators({ store, log, clock, seal, planAudit, sessions, proof, getOwn: own.getOwn }),
    signInWithCode: secondFactor.complete,
    ...createSetup({ read, log, clock, planAudit, planSession, hashNew, hasAdmin }),
    ...createSignUp({
      ...{ read, log, clock, ids, planAudit, planSession, hashNew, failures },
      maySignUp: options.maySignUp,
    }),
    ...createPasswordSignIn({
      ...{ read, log, clock, planAudit, planSession, checkPassword, secondFactor, assertSetUp, hashNew },
    }),
  };
}

/** Returns the ids of users whose account is active. */
const createFindActive =
  ({ read }: Pick<Store, "read">) =>
  async (owners: readonly string[]): Promise<ReadonlySet<string>> => {
    const rows = await read.accountsById([...new Set(owners)]);
    return new Set(rows.flatMap(({ id, state }) => (state === "active" ? [id] : [])));
  };
