import type { Role } from "../../protocol/roles.ts";

/** Tables of users, their accounts and their budgets. Without accounts, `accounts`, `links` and `audit` are empty. */
export type AccountTables = {
  users: { id: string; created_at: number };
  members: {
    /** The project. */
    object: string;
    /** The user. */
    person: string;
    role: string;
  };
  user_groups: {
    id: string;
    name: string;
    /** The name in lower case, unique. */
    name_key: string;
    /** Incremented with every change of the group's users and when it becomes a member of a project. */
    version: number;
    created_at: number;
  };
  group_people: { group_id: string; person: string };
  /** Groups that are members of projects: each of their users has at least this role. */
  project_groups: { project: string; group_id: string; role: string };
  budgets: { owner: string; scope: string; limit_usd: number; updated_at: number };
  /** Set by admins. A user's row replaces the row of the user's role. null in a column: not limited. */
  limits: {
    /** A role, or `user:` with the id of the user. */
    subject: string;
    day_usd: number | null;
    month_usd: number | null;
    /** Ids of models, or `PROVIDER/*`, as JSON. */
    models: string | null;
    storage_bytes: number | null;
    updated_at: number;
  };
  /** A user's own keys. Each belongs to the address of its provider and is not sent to another one. */
  own_keys: {
    owner: string;
    provider: string;
    sealed: string;
    key_at: number;
    /** Origin of the operator's address when the key was stored; null: the provider's usual address. */
    key_origin: string | null;
    /** Result of the last test, as JSON. */
    test: string | null;
  };
  budget_gates: { owner: string; version: number };
  accounts: {
    /** The user's id. It is `local` for the first admin, who therefore owns everything from before accounts were turned on. */
    id: string;
    name: string;
    /** In lower case, unique. */
    email: string;
    role: Role;
    state: "active" | "suspended";
    /** Hash with its parameters and salt; see accounts/passwords.ts. Empty: the account has no password. */
    password: string;
    /** Networks of the latest successful sign-ins, as JSON. Attempts from others are slowed down after failures. */
    networks: string;
    created_at: number;
    /** A new random number with each change. */
    changed_at: number;
    signed_in_at: number | null;
  };
  /** One-time links. The batch that uses one deletes it. */
  links: {
    /** `setup`, `reset:` or `email:` with the id of the account, `invite:` with the id chosen by the client, or `sign-up:` with a hash of the address. */
    id: string;
    kind: "setup" | "invite" | "reset" | "sign-up" | "email";
    /** SHA-256 of the token, which is random. */
    hash: string;
    /** The account of a reset or of a change of the email address; null for other kinds. */
    account: string | null;
    /** For an invitation or a sign-up: the only address that can accept it; null: any. For `email`: the new address. */
    email: string | null;
    role: Role;
    created_by: string | null;
    created_at: number;
    /** 0 while it is being used up. */
    expires_at: number;
  };
  /** Users of an OpenID Connect provider who may sign in to an account. */
  identities: {
    issuer: string;
    /** The user's id at the issuer. */
    subject: string;
    id: string;
    account: string;
    /** The address or name that the provider had for the user, to recognize the row; it is not used to sign in. */
    label: string;
    created_at: number;
    used_at: number;
  };
  /** Hashes of the states of OpenID Connect sign-ins and the challenges of passkeys that were used, until they have expired. */
  used_states: { hash: string; expires_at: number };
  /** WebAuthn credentials. Each signs in without a password. */
  passkeys: {
    /** The id that the authenticator chose, as base64url. */
    credential: string;
    /** In addresses. */
    id: string;
    account: string;
    /** The id that the authenticator has for the account. */
    handle: string;
    /** COSE, as base64url. */
    public_key: string;
    /** The highest signature counter; 0 if the authenticator has none. */
    counter: number;
    /** JSON array: how browsers reach the authenticator. */
    transports: string;
    name: string;
    created_at: number;
    used_at: number | null;
  };
  /** Apps that show one-time passwords (TOTP), as a second factor after the password. At most one for each account. */
  authenticators: {
    account: string;
    /** Sealed with the instance key. */
    secret: string;
    /** Time step of the latest accepted code. Only codes of later steps are accepted. */
    last_step: number;
    created_at: number;
  };
  /** They replace a code of the authenticator, once each. */
  recovery_codes: {
    account: string;
    /** Keyed with the instance key. */
    hash: string;
    used: number;
  };
  /** Append-only. */
  audit: {
    id: string;
    at: number;
    actor: string | null;
    action: string;
    target: string | null;
    address: string;
    /** JSON without contents and secrets. */
    detail: string;
  };
};

/** Primary keys. */
export const accountKeys = {
  user_groups: ["id"],
  group_people: ["group_id", "person"],
  project_groups: ["project", "group_id"],
  own_keys: ["owner", "provider"],
  limits: ["subject"],
  accounts: ["id"],
  links: ["id"],
  audit: ["id"],
  identities: ["issuer", "subject"],
  used_states: ["hash"],
  passkeys: ["credential"],
  authenticators: ["account"],
  recovery_codes: ["account", "hash"],
} as const;
