import { z } from "zod";
import { roles } from "../roles.ts";

const Usd = z.number().positive().max(1_000_000);

/** Limits set by admins for a role or a user. null: not limited. */
export const PersonLimits = z
  .object({
    /** US dollars per day (UTC) and per month. */
    dayUsd: Usd.nullable(),
    monthUsd: Usd.nullable(),
    /** Ids of models, or `PROVIDER/*` for all models of a provider. An empty list allows none but the offline model. */
    models: z
      .array(
        z
          .string()
          .max(200)
          .regex(/^[^\s/]+\/\S+$/, "not the id of a model"),
      )
      .max(200)
      .nullable(),
    /** Limit for attached files, files of the user's projects, and imports that are not done. */
    storageBytes: z.number().int().min(0).max(1e15).nullable(),
  })
  .strict();
export type PersonLimits = z.infer<typeof PersonLimits>;

export const StoredBytes = z.object({
  /** Files attached to messages. */
  attachments: z.number(),
  /** Current files of the user's own projects. */
  files: z.number(),
  /** Imported files that are still being read. */
  imports: z.number(),
});
export type StoredBytes = z.infer<typeof StoredBytes>;

const none = z.object({});

export const limitsApi = {
  getLimits: {
    summary: "What admins of this server allow you to spend, store and use, and how much you store",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ limits: PersonLimits, stored: StoredBytes }),
  },
  listRoleLimits: {
    summary: "The limits of each role",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ admin: PersonLimits, member: PersonLimits }),
  },
  setRoleLimits: {
    summary: "Set the limits of a role, for its users who have no individual limits",
    params: z.object({ role: z.enum(roles) }),
    query: none,
    body: PersonLimits,
    status: 200,
    response: PersonLimits,
  },
} as const;
