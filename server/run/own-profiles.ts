import type { PolicyName } from "../../protocol/context/policy.ts";
import type { Preferences } from "../../protocol/settings/preferences.ts";
import { builtInProfiles, type ProfileLimits, type ProfileWindow } from "../../protocol/settings/profiles.ts";
import type { Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { Limits } from "./limits.ts";
import type { Profile, Profiles } from "./profiles.ts";

/** Stored content of a user's own profile. */
export type OwnProfile = {
  readonly v: 1;
  readonly instructions: string;
  readonly tools: readonly string[] | null;
  readonly limits: ProfileLimits;
  readonly policy: PolicyName;
  readonly model: string | null;
  /** Missing in profiles of 0.1.0, and some of its numbers in later ones. */
  readonly window?: Partial<ProfileWindow>;
};

type Deps = { readonly profiles: Profiles; readonly store: { readonly read: Pick<Reads, "profile"> } };

/** Finds a built-in profile by name or the user's own profile by id. A deleted profile is replaced by `stone` with `isFallback`. */
export async function loadProfile({ profiles, store }: Deps, ownerId: string, id: string): Promise<Profile> {
  const builtIn = profiles.find(id);
  if (builtIn.name === id) return builtIn;
  const row = await store.read.profile(ownerId, id);
  if (!row) return { ...profiles.find("stone"), isFallback: true };
  const source = profiles.find(row.source);
  const { instructions, tools, limits, policy, window = NO_WINDOW } = toOwnProfile(row);
  // The operator may have lowered the limits since it was stored.
  return {
    name: source.name,
    instructions,
    tools,
    policy,
    window: {
      messages: window.messages ?? source.window.messages,
      characters: window.characters ?? source.window.characters,
      pageCharacters: window.pageCharacters ?? source.window.pageCharacters,
      messageCharacters: window.messageCharacters ?? source.window.messageCharacters,
    },
    limits: bound(limits, profiles.bounds),
    version: row.version,
  };
}

/** In a shared thread, instructions of one user's own profile would be in the prompts of others. */
export const toRunProfile = ({ profile, shared }: Pick<RowOf<"threads">, "profile" | "shared">): string =>
  shared === 0 || builtInProfiles.some((name) => name === profile) ? profile : "stone";

/** Preferences that a run may use. A shared thread gets neither memory nor the user's instructions. */
export const toRunPreferences = (preferences: Preferences, isShared: boolean): Preferences =>
  isShared ? { ...preferences, memory: false, instructions: "" } : preferences;

/** Adds the user's instructions for all threads to those of the profile. */
export const withInstructions = (profile: Profile, { instructions }: Pick<Preferences, "instructions">): Profile =>
  instructions === "" ? profile : { ...profile, instructions: `${profile.instructions}\n\n${OWN}\n${instructions}` };

export const NO_WINDOW: ProfileWindow = {
  messages: null,
  characters: null,
  pageCharacters: null,
  messageCharacters: null,
};

const OWN = "Instructions of the user for all conversations:";

export const toOwnProfile = (row: RowOf<"profiles">): OwnProfile => JSON.parse(row.body) as OwnProfile;

/** Limits of an own profile, capped at the operator's limits. */
function bound(own: ProfileLimits, most: Limits): Limits {
  const { costUsd } = own;
  return {
    steps: Math.min(own.steps, most.steps),
    calls: Math.min(own.calls, most.calls),
    tokens: Math.min(own.tokens, most.tokens),
    costUsd: most.costUsd === null ? costUsd : Math.min(costUsd ?? most.costUsd, most.costUsd),
    wallMs: Math.min(own.seconds * 1000, most.wallMs),
    perTool: own.perTool,
  };
}

export const toProfileLimits = ({ wallMs, perTool, ...rest }: Limits): ProfileLimits => ({
  ...rest,
  seconds: Math.round(wallMs / 1000),
  perTool: { ...perTool },
});
