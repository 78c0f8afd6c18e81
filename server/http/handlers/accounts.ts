import type { SharedThread } from "../../../protocol/account/shares.ts";
import type { Response as Answer } from "../../../protocol/api.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { Accounts } from "../../accounts/accounts.ts";
import type { Sessions, TokenAuthentication } from "../../auth/authenticate.ts";
import { isByProxy, type Principal } from "../../auth/principal.ts";
import type { PersonDeletion } from "../../user-data/delete-person.ts";
import type { Groups } from "../../project/groups.ts";
import type { ProjectMembers } from "../../project/members.ts";
import type { OutsideSignIn } from "../../sign-in/sign-in.ts";
import type { Handlers, OpenHandlers } from "../route-types.ts";
import { createFactorHandlers, createFactorOpenHandlers, createNoFactorHandlers } from "./factors.ts";
import { noProvider } from "./oidc-routes.ts";

type AccountRoute =
  | "changeAccount"
  | "changePassword"
  | "listSessions"
  | "endSession"
  | "endOtherSessions"
  | "listPeople"
  | "getPerson"
  | "setPersonLimits"
  | "revokePersonKey"
  | "endPersonSession"
  | "transferPersonProject"
  | "deletePerson"
  | "listRoleLimits"
  | "setRoleLimits"
  | "getLimits"
  | "changePerson"
  | "signOutPerson"
  | "createResetLink"
  | "removeFactors"
  | "createInvitation"
  | "listInvitations"
  | "revokeInvitation"
  | "listAudit"
  | GroupRoute
  | "listIdentities"
  | "removeIdentity";

type GroupRoute =
  | "listGroups"
  | "createGroup"
  | "getGroup"
  | "changeGroup"
  | "deleteGroup"
  | "addGroupPerson"
  | "removeGroupPerson";

export type AccountDeps = {
  /** null: a single user, with or without a token. */
  readonly accounts: Accounts | null;
  /** null without accounts. */
  readonly outside?: OutsideSignIn | null;
  /** null: requests need no sign-in. */
  readonly sessions: Sessions | null;
  readonly signIn: "none" | "token" | "password";
};

/** Functions with which admins transfer the projects of other users and delete accounts. */
type PersonDeps = {
  readonly members: Pick<ProjectMembers, "listOwned" | "transfer" | "groups">;
  readonly deletePerson: PersonDeletion;
};

/** The part of `getMe` about sign-in. */
export const describeUser = async (
  { accounts, signIn }: AccountDeps,
  principal: Principal,
): Promise<Pick<Answer<"getMe">, "userId" | "mode" | "account" | "signIn">> => ({
  userId: principal.userId,
  mode: accounts ? "accounts" : "personal",
  account: accounts ? await accounts.own.accountOf(principal) : null,
  signIn: isByProxy(principal) ? "proxy" : signIn,
});

const refuse = (): ApiError =>
  new ApiError("invalid", "This server has no accounts. Its operator can turn them on with STONECHAT_ACCOUNTS=on.");

type AccountHandlers = Pick<Handlers, AccountRoute> & ReturnType<typeof createFactorHandlers>;

/** Handlers of accounts, their sessions, and the routes for admins. */
export function createAccountHandlers(deps: AccountDeps & PersonDeps): AccountHandlers {
  const { accounts, sessions, outside, members, deletePerson } = deps;
  const getAccounts = (): Accounts => {
    if (accounts) return accounts;
    throw refuse();
  };
  const getOutside = (): OutsideSignIn => {
    if (outside) return outside;
    throw refuse();
  };
  const getSessions = (): Sessions => {
    if (sessions) return sessions;
    throw new ApiError("invalid", "This server needs no sign-in, so it has no sessions.");
  };
  return {
    ...createGroupHandlers(accounts ? members.groups : null),
    ...createFactorHandlers(() => ({ accounts: getAccounts(), passkeys: getOutside().passkeys })),
    changeAccount: async ({ principal, body }) => getAccounts().own.changeAccount(principal, body),
    changePassword: async ({ principal, body }) => getAccounts().own.changePassword(principal, body),
    listSessions: async ({ principal }) => ({ sessions: sessions ? [...(await sessions.list(principal))] : [] }),
    endSession: async ({ principal, params }) => getSessions().endOne(principal, params.sessionId),
    endOtherSessions: async ({ principal }) => getSessions().endOthers(principal),
    getLimits: async ({ principal }) => getAccounts().limits.ofUser(principal),
    listRoleLimits: async () => getAccounts().limits.listRoles(),
    setRoleLimits: async ({ principal, params, body }) => getAccounts().limits.setRole(principal, params.role, body),
    getPerson: async ({ principal, params }) => ({
      ...(await getAccounts().person.get(principal, params.userId)),
      projects: await members.listOwned(params.userId),
    }),
    setPersonLimits: async ({ principal, params, body }) =>
      getAccounts().person.setLimits(principal, params.userId, body.limits),
    revokePersonKey: async ({ principal, params }) =>
      getAccounts().person.revokeKey(principal, params.userId, params.keyId),
    endPersonSession: async ({ principal, params }) =>
      getAccounts().person.endSession(principal, params.userId, params.sessionId),
    transferPersonProject: async ({ principal, params: { userId }, body: { projectId, to } }) => {
      await getAccounts().people.get(userId);
      await members.transfer({ userId }, projectId, to, principal);
      return { projects: await members.listOwned(userId) };
    },
    deletePerson: async ({ principal, params, body }) => {
      getAccounts();
      return deletePerson(principal, params.userId, body);
    },
    listPeople: async () => getAccounts().people.list(),
    changePerson: async ({ principal, params, body }) => getAccounts().people.change(principal, params.userId, body),
    signOutPerson: async ({ principal, params }) => getAccounts().people.signOut(principal, params.userId),
    removeFactors: async ({ principal, params }) => getAccounts().people.removeFactors(principal, params.userId),
    createResetLink: async ({ principal, params }) => getAccounts().people.createResetLink(principal, params.userId),
    createInvitation: async ({ principal, body }) => getAccounts().people.createInvitation(principal, body),
    listInvitations: async () => getAccounts().people.listInvitations(),
    revokeInvitation: async ({ principal, params }) =>
      getAccounts().people.revokeInvitation(principal, params.invitationId),
    listAudit: async ({ query }) => getAccounts().people.listAudit(query),
    listIdentities: async ({ principal }) => ({
      identities: await getOutside().identities.list(principal),
      provider: outside?.oidc ? { name: outside.oidc.name } : null,
    }),
    removeIdentity: async ({ principal, params }) => getOutside().identities.remove(principal, params.identityId),
  };
}

function createGroupHandlers(groups: Groups | null): Pick<Handlers, GroupRoute> {
  const getGroups = (): Groups => {
    if (groups) return groups;
    throw refuse();
  };
  return {
    listGroups: async () => (groups ? groups.list() : { groups: [] }),
    createGroup: async ({ principal, body }) => getGroups().create(principal, body),
    getGroup: async ({ params }) => getGroups().get(params.groupId),
    changeGroup: async ({ principal, params, body }) => getGroups().rename(principal, params.groupId, body.name),
    deleteGroup: async ({ principal, params }) => getGroups().remove(principal, params.groupId),
    addGroupPerson: async ({ principal, params }) => getGroups().addPerson(principal, params.groupId, params.userId),
    removeGroupPerson: async ({ principal, params }) =>
      getGroups().removePerson(principal, params.groupId, params.userId),
  };
}

/** The shared thread of a link; throws `not-found` if there is none. */
type OpenShared = (token: string, address: string) => Promise<SharedThread>;

/** Handlers of the routes that need no principal, on a server without accounts. */
export const createOpenHandlers = (authentication: TokenAuthentication, openShared: OpenShared): OpenHandlers => ({
  getShared: async ({ params, browser }) => ({ value: await openShared(params.token, browser.address) }),
  getInstance: async () => ({ value: { mode: "personal", signIn: authentication.kind } }),
  signIn: async ({ body: { token }, browser }) => {
    if (authentication.kind === "token" && token === undefined) {
      throw new ApiError("invalid", "Send the token of this server.");
    }
    const { principal, cookie } = await authentication.signIn(token ?? "", browser);
    return { value: { userId: principal.userId }, cookie };
  },
  setUp: () => Promise.reject(refuse()),
  openInvitation: () => Promise.reject(refuse()),
  acceptInvitation: () => Promise.reject(refuse()),
  resetPassword: () => Promise.reject(refuse()),
  confirmEmail: () => Promise.reject(refuse()),
  ...createNoFactorHandlers(refuse),
  startOidc: () => Promise.reject(refuse()),
  requestReset: () => Promise.reject(refuse()),
  requestSignUp: () => Promise.reject(refuse()),
});

/** Handlers of the routes without a principal, on a server with accounts. */
export const createAccountOpenHandlers = (
  accounts: Accounts,
  { oidc, mails, canSignUp, passkeys }: OutsideSignIn,
  openShared: OpenShared,
): OpenHandlers => ({
  getShared: async ({ params, browser }) => {
    await accounts.assertSetUp();
    return { value: await openShared(params.token, browser.address) };
  },
  getInstance: async () => ({
    value: {
      ...{ mode: "accounts", signIn: (await accounts.hasAdmin()) ? "password" : "setup" },
      ...(passkeys.publicOrigin === null ? {} : { passkeyOrigin: passkeys.publicOrigin }),
      ...(oidc ? { oidc: { name: oidc.name } } : {}),
      ...(mails ? { mail: true } : {}),
      ...(canSignUp ? { signUp: true } : {}),
    },
  }),
  ...createFactorOpenHandlers(accounts, passkeys),
  signIn: ({ body, browser }) => accounts.signIn(body, browser),
  setUp: ({ body, browser }) => accounts.setUp(body, browser),
  openInvitation: async ({ body }) => ({ value: await accounts.openInvitation(body) }),
  acceptInvitation: ({ body, browser }) => accounts.acceptInvitation(body, browser),
  resetPassword: ({ body, browser }) => accounts.resetPassword(body, browser),
  confirmEmail: async ({ body, browser }) => {
    if (!accounts.confirmEmail) throw new ApiError("not-found", "Not found.");
    return { value: await accounts.confirmEmail(body, browser) };
  },
  startOidc: async ({ body }) => {
    if (!oidc) throw noProvider();
    const { url, cookie } = await oidc.start(body);
    return { value: { url }, cookie };
  },
  requestReset: async ({ body, browser }) => {
    await getMails(mails).requestReset(body.email, browser.address);
    return { value: {} };
  },
  requestSignUp: async ({ body, browser }) => {
    await getMails(mails).requestSignUp(body.email, browser.address);
    return { value: {} };
  },
});

function getMails(mails: OutsideSignIn["mails"]): NonNullable<OutsideSignIn["mails"]> {
  if (mails) return mails;
  throw new ApiError("invalid", "This server sends no mail. Ask an admin for a link.");
}
