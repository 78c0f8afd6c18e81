import { ApiError } from "../../../protocol/errors.ts";
import { builtInProfiles } from "../../../protocol/settings/profiles.ts";
import type { Principal } from "../../auth/principal.ts";
import type { ModelAccess } from "../../model/model-access.ts";
import type { Models } from "../../model/model.ts";
import type { Reads } from "../../store/contract.ts";

/** A model name of the other API: a profile with its model, or a plain model. */
export type ChosenModel = {
  readonly model: string;
  readonly profile: string;
  /** Answers like the model itself: without our instructions, memory and tools. */
  readonly isPlain: boolean;
};

type Deps = {
  readonly models: Models;
  readonly access: ModelAccess;
  readonly read: Pick<Reads, "profile" | "profilesOf">;
};

const PREFIX = "stonechat/";

const toModel = (id: string, ownedBy: string, created = 0) => ({
  ...{ id, object: "model" as const, created, owned_by: ownedBy },
});

/** Profiles first, then all models that can be used. */
export async function listModels({ models: allModels, access, read }: Deps, { userId }: Principal) {
  const models = allModels.forUser(userId);
  await models.refresh();
  const [own, mayUse] = await Promise.all([read.profilesOf(userId), access.filterFor(userId)]);
  return [
    ...builtInProfiles.map((name) => toModel(`${PREFIX}${name}`, "stonechat")),
    ...own.map(({ id, created_at }) => toModel(`${PREFIX}${id}`, "user", toSeconds(created_at))),
    ...models
      .list()
      .filter(({ id, available }) => available && mayUse(id))
      .map(({ id, provider, date }) => toModel(id, provider, date === undefined ? 0 : toSeconds(Date.parse(date)))),
  ];
}

export const toSeconds = (ms: number): number => Math.floor(ms / 1000);

export async function getModel(deps: Deps, principal: Principal, id: string) {
  const listed = await listModels(deps, principal);
  const found = listed.find((model) => model.id === id);
  if (found) return found;
  // Also accepts a model's short name or a profile's name.
  const { model, profile } = await chooseModel(deps, principal, id);
  const fullId = id.startsWith(PREFIX) ? `${PREFIX}${profile}` : model;
  const named = listed.find((one) => one.id === fullId);
  return { ...(named ?? toModel(id, model.split("/", 1)[0] ?? "")), id };
}

/** `stonechat/NAME` is a profile; anything else is a model, by its id or by the name that its provider uses. */
export async function chooseModel(
  { models: allModels, access, read }: Deps,
  { userId }: Principal,
  name: string,
): Promise<ChosenModel> {
  const models = allModels.forUser(userId);
  if (name.startsWith(PREFIX)) {
    const id = name.slice(PREFIX.length);
    if (builtInProfiles.some((one) => one === id))
      return { model: await access.defaultFor(userId), profile: id, isPlain: false };
    const own = (await read.profilesOf(userId)).find((profile) => profile.id === id || profile.name === id);
    if (!own) throw unknown(name);
    const { model } = JSON.parse(own.body) as { readonly model: string | null };
    const mayUse = await access.filterFor(userId);
    const isUsable = model !== null && models.find(model) !== undefined && mayUse(model);
    return { model: isUsable ? model : await access.defaultFor(userId), profile: own.id, isPlain: false };
  }
  const listed = models.list().find(({ id, available }) => available && id.slice(id.indexOf("/") + 1) === name);
  const model = models.find(name)?.info.id ?? listed?.id;
  if (model === undefined) throw unknown(name);
  return { model, profile: "stone", isPlain: true };
}

const unknown = (name: string): ApiError =>
  new ApiError(
    "not-found",
    `The model "${name.slice(0, 100)}" does not exist. GET /v1/models lists the available models.`,
  );
