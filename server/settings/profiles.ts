import { maxMessageCharacters, type Body } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import { userStream } from "../../protocol/ids.ts";
import {
  builtInProfiles,
  profileBounds,
  type ProfileLimits,
  type ProfileView,
} from "../../protocol/settings/profiles.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import type { Models } from "../model/model.ts";
import { NO_WINDOW, toOwnProfile, toProfileLimits, type OwnProfile } from "../run/own-profiles.ts";
import type { Profile, Profiles } from "../run/profiles.ts";
import type { Store, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { toLongestMessage } from "../thread/longest-message.ts";
import { checkModel } from "../thread/threads.ts";
import type { Catalog, GetCatalog } from "../tools/catalog.ts";

/**
 * User profiles: named copies of built-in profiles with changes. A stored profile can always run: its tools, policy and model
 * exist, and its limits are within the operator's.
 */
export type ProfileSettings = ReturnType<typeof createProfileSettings>;

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly profiles: Profiles;
  readonly catalogOf: GetCatalog;
  readonly models: Pick<Models, "forUser">;
  readonly clock: Clock;
};

type Fields = Pick<Body<"changeProfile">, "instructions" | "tools" | "limits" | "policy" | "model" | "window">;

export function createProfileSettings({ store, log, profiles, catalogOf, models, clock }: Options) {
  const { read } = store;
  const bounds = toProfileLimits(profiles.bounds);
  const rules = { catalogOf, models, bounds };

  const getOwn = async ({ userId }: Principal, id: string): Promise<RowOf<"profiles">> => {
    const row = await read.profile(userId, id);
    if (row) return row;
    if (isBuiltIn(id)) throw new ApiError("invalid", "A built-in profile cannot be changed. Create a copy of it.");
    throw new ApiError("not-found", "Not found.");
  };

  /** The profile that a new one copies. */
  const findSource = async (principal: Principal, from: string): Promise<{ source: string; own: OwnProfile }> => {
    if (isBuiltIn(from)) return { source: from, own: toCopy(profiles.find(from)) };
    const row = await read.profile(principal.userId, from);
    if (!row) throw new ApiError("invalid", `Unknown profile "${from}".`);
    return { source: row.source, own: toOwnProfile(row) };
  };

  /** Tools by their own names, also where the row has aliases. */
  const toView = async (row: RowOf<"profiles">): Promise<ProfileView> => toProfileView(row, await catalogOf(row.owner));

  const commit = async ({ userId }: Principal, profileId: string, write: Write): Promise<boolean> =>
    (
      await log.commit({
        events: [{ stream: userStream(userId), event: { type: "profiles-changed", profileId } }],
        writes: [write],
      })
    ).ok;

  return {
    list: async ({ userId }: Principal): Promise<{ profiles: ProfileView[]; bounds: ProfileLimits }> => {
      const [catalog, rows] = await Promise.all([catalogOf(userId), read.profilesOf(userId)]);
      return { profiles: [...profiles.list.map(toBuiltIn), ...rows.map((row) => toProfileView(row, catalog))], bounds };
    },

    create: async (principal: Principal, body: Body<"createProfile">): Promise<{ profile: ProfileView }> => {
      const { id, name, from, ...fields } = body;
      if (isBuiltIn(id)) throw new ApiError("conflict", `"${id}" is a built-in profile. Use another id.`);
      const { source, own } = await findSource(principal, from);
      const now = clock.now();
      const row: RowOf<"profiles"> = {
        owner: principal.userId,
        id,
        name,
        source,
        version: 1,
        body: JSON.stringify(await applyFields(rules, principal, own, fields)),
        created_at: now,
        updated_at: now,
      };
      const others = await read.profilesOf(principal.userId);
      const known = others.find((other) => other.id === id);
      if (!known && others.length >= profileBounds.perPerson) {
        throw new ApiError("too-large", `You already have ${profileBounds.perPerson} profiles. Delete one first.`);
      }
      if (!known && (await commit(principal, id, { do: "insert", table: "profiles", row })))
        return { profile: await toView(row) };
      const winner = known ?? (await read.profile(principal.userId, id));
      if (winner && winner.version === 1 && winner.name === name && winner.body === row.body) {
        return { profile: await toView(winner) };
      }
      throw new ApiError("conflict", "This id was already used for another profile. Use a new id.");
    },

    change: async (
      principal: Principal,
      id: string,
      { was, name, ...fields }: Body<"changeProfile">,
    ): Promise<{ profile: ProfileView }> => {
      const row = await getOwn(principal, id);
      const next = {
        ...row,
        name: name ?? row.name,
        version: was + 1,
        body: JSON.stringify(await applyFields(rules, principal, toOwnProfile(row), fields)),
        updated_at: clock.now(),
      };
      const { owner: _, id: __, ...set } = next;
      const where = { owner: row.owner, id, version: was };
      const write: Write = { do: "update", table: "profiles", set, where, expectOne: true };
      if (row.version === was && (await commit(principal, id, write))) return { profile: await toView(next) };
      const current = await getOwn(principal, id);
      throw new ApiError(
        "conflict",
        "This profile was changed by another request. Reload it and try again.",
        await toView(current),
      );
    },

    remove: async (principal: Principal, id: string): Promise<{ id: string }> => {
      const { owner } = await getOwn(principal, id);
      await commit(principal, id, { do: "delete", table: "profiles", where: { owner, id } });
      return { id };
    },
  };
}

/** A profile with changes. Throws if it could not run. */
async function applyFields(
  { catalogOf, models, bounds }: Pick<Options, "catalogOf" | "models"> & { readonly bounds: ProfileLimits },
  principal: Principal,
  before: OwnProfile,
  fields: Fields,
): Promise<OwnProfile> {
  const limits = { ...before.limits, ...withoutUndefined(fields.limits ?? {}) };
  const window = { ...NO_WINDOW, ...before.window, ...withoutUndefined(fields.window ?? {}) };
  const next = {
    ...before,
    ...withoutUndefined({ ...fields, limits: undefined, window: undefined }),
    limits,
    window,
  };
  const { find } = await catalogOf(principal.userId);
  const unknown = [...(fields.tools ?? []), ...Object.keys(fields.limits?.perTool ?? {})].find((name) => !find(name));
  if (unknown !== undefined)
    throw new ApiError("invalid", `Unknown tool "${unknown}". GET /api/tools lists the available tools.`);
  await checkModel({ models }, principal, fields.model ?? undefined);
  assertWithin(fields.limits === undefined ? {} : limits, bounds);
  return next;
}

const isBuiltIn = (id: string): boolean => builtInProfiles.some((name) => name === id);

const withoutUndefined = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

const toCopy = ({ instructions, tools, limits, policy }: Profile): OwnProfile => ({
  v: 1,
  instructions,
  tools,
  limits: toProfileLimits(limits),
  policy,
  model: null,
});

function assertWithin(limits: Partial<ProfileLimits>, bounds: ProfileLimits): void {
  for (const field of ["steps", "calls", "tokens", "seconds"] as const) {
    const [asked, most] = [limits[field] ?? 0, bounds[field]];
    if (asked > most) throw new ApiError("invalid", `limits.${field} may be at most ${most}, as set by the operator.`);
  }
  const { costUsd } = limits;
  if (costUsd === undefined || bounds.costUsd === null) return;
  if (costUsd === null || costUsd > bounds.costUsd) {
    throw new ApiError("invalid", `The cost limit may be at most $${bounds.costUsd}, as set by the operator.`);
  }
}

const toBuiltIn = ({ name, instructions, tools, limits, policy, window }: Profile): ProfileView => ({
  id: name,
  name,
  builtIn: true,
  from: null,
  instructions,
  tools: tools === null ? null : [...tools],
  limits: toProfileLimits(limits),
  messageCharacters: maxMessageCharacters(name),
  policy,
  window,
  model: null,
  version: 0,
  updatedAt: null,
});

function toProfileView(row: RowOf<"profiles">, { nameOf }: Pick<Catalog, "nameOf">): ProfileView {
  const { v: _, tools, limits, window, ...own } = toOwnProfile(row);
  const perTool = Object.fromEntries(Object.entries(limits.perTool).map(([name, most]) => [nameOf(name), most]));
  return {
    id: row.id,
    messageCharacters: toLongestMessage(row),
    name: row.name,
    builtIn: false,
    from: row.source,
    ...own,
    window: { ...NO_WINDOW, ...window },
    limits: { ...limits, perTool },
    tools: tools === null ? null : [...new Set(tools.map(nameOf))],
    version: row.version,
    updatedAt: row.updated_at,
  };
}
