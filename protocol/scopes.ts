/**
 * Scopes of an API key. Each route needs exactly one scope, and no scope includes another, so that a key does what its list
 * says. This file must not import zod, because the page bundles it.
 *   read      read threads, projects, memory, costs and settings, and follow streams
 *   chat      write in threads: send, stop, approve, delete, share, attach files; change memory, saved prompts and drafts
 *   projects  change projects and their files
 *   admin     change settings, providers, tool servers, budgets, sessions and keys; reveal redacted values; delete everything.
 *             What only admins may do also needs a key of an admin
 */
export const scopes = ["read", "chat", "projects", "admin"] as const;
export type Scope = (typeof scopes)[number];

/** Recognizable in logs, in text and in front of other credentials. */
export const KEY_PREFIX = "sc_";
