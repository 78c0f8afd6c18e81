import { z } from "zod";
import { policyNames } from "../context/policy.ts";
import { ClientId } from "../ids.ts";

export const builtInProfiles = ["stone", "research", "autopilot", "project", "builder", "assistant"] as const;

export const profileBounds = { nameCharacters: 60, instructionCharacters: 20_000, tools: 200, perPerson: 100 } as const;

/** How far one answer may go. `perTool`: calls of a tool by its name. */
export const ProfileLimits = z.object({
  steps: z.number().int().min(1),
  calls: z.number().int().min(1),
  tokens: z.number().int().min(1),
  /** null: no limit; only where the operator set none. */
  costUsd: z.number().positive().nullable(),
  seconds: z.number().int().min(1),
  perTool: z.record(z.string().max(200), z.number().int().min(1)),
});
export type ProfileLimits = z.infer<typeof ProfileLimits>;

export const ProfileView = z.object({
  /** A built-in one's name, or the id of one's own: what a thread's `profile` holds. */
  id: z.string(),
  name: z.string(),
  builtIn: z.boolean(),
  /** The built-in one that it is a copy of. */
  from: z.string().nullable(),
  instructions: z.string(),
  /** Offered first; null: chosen by what is talked about. */
  tools: z.array(z.string()).nullable(),
  limits: ProfileLimits,
  /** The longest message that its threads take. */
  messageCharacters: z.number(),
  policy: z.enum(policyNames),
  /** For threads started with it that name none; null: the instance's default. */
  model: z.string().nullable(),
  /** Rises with each change: a change names the one it saw. 0 for built-in ones. */
  version: z.number(),
  updatedAt: z.number().nullable(),
});
export type ProfileView = z.infer<typeof ProfileView>;

const none = z.object({});
const profile = z.object({ profileId: ClientId });
const Name = z
  .string()
  .trim()
  .min(1, "a profile needs a name")
  .max(profileBounds.nameCharacters)
  .refine((text) => text.isWellFormed() && !text.includes("\u0000"), "the name is not valid Unicode or holds a NUL");
const fields = {
  instructions: z
    .string()
    .max(profileBounds.instructionCharacters)
    .refine((text) => text.isWellFormed() && !text.includes("\u0000"), "the text is not valid Unicode or holds a NUL")
    .optional(),
  tools: z.array(z.string().min(1).max(200)).max(profileBounds.tools).nullable().optional(),
  limits: ProfileLimits.partial().strict().optional(),
  policy: z.enum(policyNames).optional(),
  model: z.string().min(1).max(200).nullable().optional(),
};
const answer = { response: z.object({ profile: ProfileView }) } as const;

export const profileApi = {
  listProfiles: {
    summary: "Profiles, built-in and your own, and how far the limits of your own may go",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ profiles: z.array(ProfileView), bounds: ProfileLimits }),
  },
  createProfile: {
    summary: "A profile of your own: a copy of another under a name of yours, with what you change in it",
    params: none,
    query: none,
    body: z.object({ id: ClientId, name: Name, from: ClientId.default("stone"), ...fields }).strict(),
    status: 201,
    ...answer,
  },
  changeProfile: {
    summary: "Change a profile of your own. Answers that run go on with it as it is then",
    params: profile,
    query: none,
    /** `was`: the version you saw; refused with the current one when it has changed since. */
    body: z.object({ was: z.number().int().min(1), name: Name.optional(), ...fields }).strict(),
    status: 200,
    ...answer,
  },
  deleteProfile: {
    summary: "Delete a profile of your own. Threads that used it go on as `stone`, and say so",
    params: profile,
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
} as const;
