import { z } from "zod";
import { policyNames } from "../context/policy.ts";
import { ClientId } from "../ids.ts";
import { Text } from "../text.ts";

export const builtInProfiles = ["stone", "research", "autopilot", "project", "builder", "assistant"] as const;

export const profileBounds = { nameCharacters: 60, instructionCharacters: 20_000, tools: 200, perPerson: 100 } as const;

/** Limits of one answer. `perTool`: maximum number of calls by tool name. */
export const ProfileLimits = z.object({
  steps: z.number().int().min(1),
  calls: z.number().int().min(1),
  tokens: z.number().int().min(1),
  /** null: no limit; only allowed if the operator set none. */
  costUsd: z.number().positive().nullable(),
  seconds: z.number().int().min(1),
  perTool: z.record(z.string().max(200), z.number().int().min(1)),
});
export type ProfileLimits = z.infer<typeof ProfileLimits>;

/** Numbers of messages and the context. null: the operator's setting, otherwise the default of the profile or its context policy. */
export const ProfileWindow = z.object({
  messages: z.number().int().min(1).max(500).nullable(),
  characters: z.number().int().min(200).max(1_000_000).nullable(),
  /** Characters of a page that `scrape_webpage` returns at once. */
  pageCharacters: z.number().int().min(500).max(200_000).nullable(),
  /** Characters of a message. */
  messageCharacters: z.number().int().min(100).max(100_000).nullable(),
});
export type ProfileWindow = z.infer<typeof ProfileWindow>;

export const ProfileView = z.object({
  /** Name of a built-in profile, or id of a user's profile: the value of a thread's `profile`. */
  id: z.string(),
  name: z.string(),
  builtIn: z.boolean(),
  /** The built-in profile that it was copied from. */
  from: z.string().nullable(),
  instructions: z.string(),
  /** Offered first; null: chosen by topic. */
  tools: z.array(z.string()).nullable(),
  limits: ProfileLimits,
  /** Longest message in a thread with this profile. */
  messageCharacters: z.number(),
  policy: z.enum(policyNames),
  window: ProfileWindow,
  /** Default model for new threads with this profile; null: the instance's default. */
  model: z.string().nullable(),
  /** Increases with each change; an update names the version it is based on. 0 for built-in profiles. */
  version: z.number(),
  updatedAt: z.number().nullable(),
});
export type ProfileView = z.infer<typeof ProfileView>;

const none = z.object({});
const profile = z.object({ profileId: ClientId });
const Name = Text.trim().min(1, "a profile needs a name").max(profileBounds.nameCharacters);
const fields = {
  instructions: Text.max(profileBounds.instructionCharacters).optional(),
  tools: z.array(z.string().min(1).max(200)).max(profileBounds.tools).nullable().optional(),
  limits: ProfileLimits.partial().strict().optional(),
  policy: z.enum(policyNames).optional(),
  window: ProfileWindow.partial().strict().optional(),
  model: z.string().min(1).max(200).nullable().optional(),
};
const answer = { response: z.object({ profile: ProfileView }) } as const;

export const profileApi = {
  listProfiles: {
    summary: "Profiles, both built-in and yours, and the highest limits that yours can have",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ profiles: z.array(ProfileView), bounds: ProfileLimits }),
  },
  createProfile: {
    summary: "Create a profile by copying another one and changing fields",
    params: none,
    query: none,
    body: z.object({ id: ClientId, name: Name, from: ClientId.default("stone"), ...fields }).strict(),
    status: 201,
    ...answer,
  },
  changeProfile: {
    summary: "Change one of your profiles. Running answers continue with the old version",
    params: profile,
    query: none,
    /** `was`: the version you last read; refused with the current profile if it has changed since. */
    body: z.object({ was: z.number().int().min(1), name: Name.optional(), ...fields }).strict(),
    status: 200,
    ...answer,
  },
  deleteProfile: {
    summary: "Delete one of your profiles. Threads that used it continue with `stone` and show a notice",
    params: profile,
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
} as const;
