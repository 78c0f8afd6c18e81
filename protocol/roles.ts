/**
 * Roles of people on an instance with accounts. An admin may also change what applies to everyone: providers, models, people.
 * No user can read the threads, projects, memory or files of another user, and neither can an admin.
 * This file must not import zod, because the page bundles it.
 */
export const roles = ["admin", "member"] as const;
export type Role = (typeof roles)[number];

export const passwordLimits = { minCharacters: 10, maxCharacters: 200 } as const;
