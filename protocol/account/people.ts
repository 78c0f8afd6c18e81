import { z } from "zod";
import { ClientId } from "../ids.ts";
import { roles } from "../roles.ts";
import { Email, PersonName } from "./accounts.ts";

const none = z.object({});
const Role = z.enum(roles);
const State = z.enum(["active", "suspended"]);
export const UserId = z.string().regex(/^[\w-]{1,128}$/, "not a user id");
const person = z.object({ userId: UserId });

/** An account as admins see it. */
export const Person = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  role: Role,
  state: State,
  createdAt: z.number(),
  /** Time of the latest sign-in; null: never. */
  signedInAt: z.number().nullable(),
  /** Whether sign-in with a password needs a code of an authenticator app. */
  authenticator: z.boolean(),
  /** Number of passkeys. */
  passkeys: z.number(),
  /** US dollars spent in this month (UTC). */
  monthUsd: z.number(),
});
export type Person = z.infer<typeof Person>;

/** An unused invitation. Its link is returned only by `createInvitation`. */
export const Invitation = z.object({
  id: z.string(),
  /** null: the invited person chooses it. */
  email: z.string().nullable(),
  role: Role,
  /** The admin who created it. */
  createdBy: z.string(),
  createdAt: z.number(),
  expiresAt: z.number(),
});
export type Invitation = z.infer<typeof Invitation>;

/** A link whose token is returned only once. `path` continues the address of the instance: `/invite#TOKEN`. */
const Link = { token: z.string(), path: z.string(), expiresAt: z.number() };

/** One change to accounts, sessions, invitations or settings of the instance. Contains no contents and no secrets. */
export const AuditEntry = z.object({
  id: z.string(),
  at: z.number(),
  action: z.string(),
  /** Who did it; null: the server, or a client that is not signed in. `name` is null if the account no longer exists. */
  actor: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
  /** The account that was changed; null if it concerns no account. */
  target: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
  /** The client's address; empty if unknown. */
  address: z.string(),
  detail: z.record(z.string(), z.unknown()),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** Routes for admins. */
export const peopleApi = {
  listPeople: {
    summary: "All accounts, by name",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ people: z.array(Person) }),
  },
  changePerson: {
    summary:
      "Change the role, state or name of an account. Suspending ends its sessions and stops its work. The last active admin stays one",
    params: person,
    query: none,
    body: z.object({ role: Role.optional(), state: State.optional(), name: PersonName.optional() }).strict(),
    status: 200,
    response: z.object({ person: Person }),
  },
  signOutPerson: {
    summary: "End all sessions of an account",
    params: person,
    query: none,
    body: none,
    status: 200,
    response: z.object({ ended: z.number() }),
  },
  createResetLink: {
    summary:
      "Create a link that sets a new password for an account. It replaces the earlier reset link of this account",
    params: person,
    query: none,
    body: none,
    status: 201,
    response: z.object(Link),
  },
  removeFactors: {
    summary:
      "Remove the passkeys, the authenticator app and the recovery codes of an account, and end its sessions. Not of your own",
    params: person,
    query: none,
    body: null,
    status: 200,
    response: z.object({ ended: z.number() }),
  },
  createInvitation: {
    summary: "Create an invitation. Its link is returned only here, and can be used once",
    params: none,
    query: none,
    body: z
      .object({
        id: ClientId,
        role: Role.default("member"),
        /** Only this address can accept. Without it, anyone with the link can. */
        email: Email.optional(),
        /** Send the link to this address. Needs a mail server. */
        mail: z.boolean().default(false),
      })
      .strict(),
    status: 201,
    response: z.object({ invitation: Invitation, token: z.string(), path: z.string() }),
  },
  listInvitations: {
    summary: "Unused invitations that have not expired, newest first",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ invitations: z.array(Invitation) }),
  },
  revokeInvitation: {
    summary: "Revoke an invitation. Its link stops working",
    params: z.object({ invitationId: ClientId }),
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
  listAudit: {
    summary: "Changes to accounts and to settings of the instance, newest first",
    params: none,
    query: z.object({
      /** Only entries before this one. */
      before: ClientId.optional(),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
    body: null,
    status: 200,
    response: z.object({ entries: z.array(AuditEntry), nextBefore: z.string().nullable() }),
  },
} as const;
