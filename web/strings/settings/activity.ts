import { define } from "../language.ts";
import { plural } from "../plural.ts";

/** Facts of an audit entry. Missing ones are empty, and `count` is 0. */
export type ActivityFacts = {
  /** Who did it. */
  readonly who: string;
  /** The account that was changed. */
  readonly whom: string;
  readonly role: "admin" | "member";
  /** The change is about everyone with this role. */
  readonly isRole: boolean;
  readonly from: string;
  readonly to: string;
  /** Name of a key, a provider, a model, an address or a group. */
  readonly name: string;
  readonly count: number;
};

/** The audit log, as sentences. */
export const activitySettings = define("activitySettings", {
  title: "Audit log",
  about:
    "Changes to accounts, sessions, keys and the settings of this instance. It contains no messages, files or passwords.",
  list: "Activity",
  empty: "No activity yet.",
  more: "Show more",
  from: (address: string) => `from ${address}`,
  server: "The server",
  noLonger: "A deleted account",
  unknown: ({ who }: ActivityFacts, action: string) => `${who}: ${action}`,
  actions: {
    "set-up": ({ who }: ActivityFacts) => `${who} set up this instance`,
    "signed-in": ({ who }: ActivityFacts) => `${who} signed in`,
    "signed-up": ({ who }: ActivityFacts) => `${who} created an account`,
    "identity-linked": ({ who }: ActivityFacts) => `${who} linked a sign-in`,
    "identity-removed": ({ who }: ActivityFacts) => `${who} removed a linked sign-in`,
    "passkey-added": ({ who, name }: ActivityFacts) => `${who} added the passkey “${name}”`,
    "passkey-renamed": ({ who, from, to }: ActivityFacts) => `${who} renamed the passkey “${from}” to “${to}”`,
    "passkey-removed": ({ who, name }: ActivityFacts) => `${who} removed the passkey “${name}”`,
    "authenticator-added": ({ who }: ActivityFacts) => `${who} turned on an authenticator app`,
    "authenticator-removed": ({ who }: ActivityFacts) => `${who} turned off the authenticator app`,
    "recovery-codes-created": ({ who }: ActivityFacts) => `${who} created new recovery codes`,
    "factors-removed": ({ who, whom }: ActivityFacts) => `${who} removed the second factors of ${whom}`,
    "reset-mail-sent": ({ who, whom }: ActivityFacts) => `${who} sent ${whom} a password reset link`,
    "signed-out": ({ who }: ActivityFacts) => `${who} signed out`,
    "signed-out-by-admin": ({ who, whom, count }: ActivityFacts) =>
      `${who} signed out ${whom} everywhere (${plural(count, "session")})`,
    "session-ended": ({ who }: ActivityFacts) => `${who} ended one of their sessions`,
    "other-sessions-ended": ({ who, count }: ActivityFacts) => `${who} ended ${plural(count, "other session")}`,
    "invitation-created": ({ who, role }: ActivityFacts) =>
      role === "admin" ? `${who} created an invitation for an admin` : `${who} created an invitation`,
    "invitation-mail-failed": ({ name }: ActivityFacts) => `The invitation mail to ${name} could not be sent`,
    "invitation-revoked": ({ who }: ActivityFacts) => `${who} revoked an invitation`,
    "invitation-accepted": ({ who, role }: ActivityFacts) =>
      role === "admin" ? `${who} joined as an admin` : `${who} joined`,
    "password-changed": ({ who }: ActivityFacts) => `${who} changed their password`,
    "password-reset": ({ who }: ActivityFacts) => `${who} set a new password with a reset link`,
    "reset-link-created": ({ who, whom }: ActivityFacts) => `${who} created a password reset link for ${whom}`,
    "email-change-requested": ({ who, from, to }: ActivityFacts) =>
      `${who} asked to change their address: ${from} → ${to}`,
    "account-changed": ({ who, from, to }: ActivityFacts) =>
      from === "" ? `${who} changed their account` : `${who} changed their account: ${from} → ${to}`,
    renamed: ({ who, from, to }: ActivityFacts) => `${who} renamed ${from} to ${to}`,
    "role-changed": ({ who, whom, role }: ActivityFacts) =>
      role === "admin" ? `${who} made ${whom} an admin` : `${who} made ${whom} a member`,
    suspended: ({ who, whom }: ActivityFacts) => `${who} suspended ${whom}`,
    "suspension-ended": ({ who, whom }: ActivityFacts) => `${who} restored ${whom}`,
    "key-created": ({ who, name }: ActivityFacts) => `${who} created the API key “${name}”`,
    "key-revoked": ({ who }: ActivityFacts) => `${who} revoked an API key`,
    "key-revoked-by-admin": ({ who, whom }: ActivityFacts) => `${who} revoked an API key of ${whom}`,
    "session-ended-by-admin": ({ who, whom }: ActivityFacts) => `${who} ended a session of ${whom}`,
    "limits-changed": ({ who, whom, isRole, role }: ActivityFacts) =>
      isRole
        ? `${who} changed the limits of ${role === "admin" ? "admins" : "members"}`
        : `${who} changed the limits of ${whom}`,
    "limits-removed": ({ who, whom }: ActivityFacts) => `${who} removed the own limits of ${whom}`,
    "person-deleted": ({ who }: ActivityFacts) => `${who} deleted an account`,
    "data-deleted": ({ who }: ActivityFacts) => `${who} deleted all data of an account`,
    "project-transferred": ({ who, whom }: ActivityFacts) => `${who} made ${whom} the owner of a project`,
    "project-member-added": ({ who, whom }: ActivityFacts) => `${who} added ${whom} to a project`,
    "project-member-removed": ({ who, whom }: ActivityFacts) => `${who} removed ${whom} from a project`,
    "project-role-changed": ({ who, whom }: ActivityFacts) => `${who} changed the role of ${whom} in a project`,
    "project-group-added": ({ who, name }: ActivityFacts) => `${who} added the group “${name}” to a project`,
    "project-group-removed": ({ who, name }: ActivityFacts) => `${who} removed the group “${name}” from a project`,
    "project-group-role-changed": ({ who, name }: ActivityFacts) =>
      `${who} changed the role of the group “${name}” in a project`,
    "group-created": ({ who, name }: ActivityFacts) => `${who} created the group “${name}”`,
    "group-renamed": ({ who, from, to }: ActivityFacts) => `${who} renamed the group “${from}” to “${to}”`,
    "group-deleted": ({ who, name }: ActivityFacts) => `${who} deleted the group “${name}”`,
    "group-person-added": ({ who, whom, name }: ActivityFacts) => `${who} added ${whom} to the group “${name}”`,
    "group-person-removed": ({ who, whom, name }: ActivityFacts) => `${who} removed ${whom} from the group “${name}”`,
    "group-left": ({ who, name }: ActivityFacts) => `${who} left the group “${name}”`,
    "project-left": ({ who }: ActivityFacts) => `${who} left a project`,
    "own-key-set": ({ who, name }: ActivityFacts) => `${who} set their own key for ${name}`,
    "own-key-removed": ({ who, name }: ActivityFacts) => `${who} removed their own key for ${name}`,
    "own-keys-allowed": ({ who }: ActivityFacts) => `${who} allowed own provider keys`,
    "own-keys-refused": ({ who }: ActivityFacts) => `${who} turned off own provider keys`,
    "provider-changed": ({ who, name }: ActivityFacts) => `${who} changed the provider ${name}`,
    "provider-removed": ({ who, name }: ActivityFacts) => `${who} removed the settings of the provider ${name}`,
    "model-changed": ({ who, name }: ActivityFacts) => `${who} changed the settings of ${name}`,
  },
});
