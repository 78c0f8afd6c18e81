import { z } from "zod";
import { ClientId } from "../ids.ts";
import { ProjectRole } from "../project/members.ts";
import { SessionView } from "./accounts.ts";
import { ApiKey } from "./keys.ts";
import { PersonLimits, StoredBytes } from "./limits.ts";
import { Person, UserId } from "./people.ts";

const none = z.object({});
const person = z.object({ userId: UserId });

/** A project with members, as admins see it: without its name and contents. */
export const OwnedProject = z.object({
  id: z.string(),
  members: z.array(z.object({ userId: z.string(), name: z.string(), role: ProjectRole, suspended: z.boolean() })),
});
export type OwnedProject = z.infer<typeof OwnedProject>;

/** An account with everything that admins may see and end. */
export const PersonDetails = z.object({
  person: Person,
  /** `own` replaces the limits of the role; null: there are none. */
  limits: z.object({ own: PersonLimits.nullable(), ofRole: PersonLimits }),
  /** US dollars today and in this month (UTC). Calls of unknown price are not included. */
  spent: z.object({ dayUsd: z.number(), monthUsd: z.number() }),
  stored: StoredBytes,
  keys: z.array(ApiKey),
  sessions: z.array(SessionView),
  /** Projects with members that the user owns. */
  projects: z.array(OwnedProject),
});
export type PersonDetails = z.infer<typeof PersonDetails>;

/** Routes for admins about one account. */
export const personApi = {
  getPerson: {
    summary: "An account with its limits, spending, storage, API keys, sessions and shared projects. No contents",
    params: person,
    query: none,
    body: null,
    status: 200,
    response: PersonDetails,
  },
  setPersonLimits: {
    summary: "Set an account's own limits, which replace those of its role; null: those of the role apply",
    params: person,
    query: none,
    body: z.object({ limits: PersonLimits.nullable() }).strict(),
    status: 200,
    response: z.object({ own: PersonLimits.nullable(), ofRole: PersonLimits }),
  },
  revokePersonKey: {
    summary: "Revoke an API key of an account. Its open streams end",
    params: z.object({ userId: UserId, keyId: ClientId }),
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
  endPersonSession: {
    summary: "End one session of an account. Its open streams end",
    params: z.object({ userId: UserId, sessionId: z.string().regex(/^[\w-]{1,64}$/, "not a session id") }),
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
  transferPersonProject: {
    summary: "Make a member of a project its owner, in place of this account, which becomes an editor",
    params: person,
    query: none,
    body: z.object({ projectId: ClientId, to: UserId }).strict(),
    status: 200,
    response: z.object({ projects: z.array(OwnedProject) }),
  },
  deletePerson: {
    summary:
      "Delete an account with everything it owns. Projects with members go to one of their members. Not your own account",
    params: person,
    query: none,
    body: z
      .object({
        id: ClientId,
        /** New owners of the account's projects with members, all of which must be named. */
        owners: z.array(z.object({ projectId: ClientId, to: UserId }).strict()).max(1000),
      })
      .strict(),
    status: 200,
    response: z.object({ id: z.string() }),
  },
} as const;
