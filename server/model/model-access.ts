import { ApiError } from "../../protocol/errors.ts";
import type { Models } from "./model.ts";

/** Which models a user may use. */
export type ModelAccess = {
  /** A function that says whether the user may use a model now. */
  readonly filterFor: (userId: string) => Promise<(id: string) => boolean>;
  /** Throws unless the user may use it. */
  readonly assertMayUse: (userId: string, id: string) => Promise<void>;
  /** The default model, or the first one that the user may use. */
  readonly defaultFor: (userId: string) => Promise<string>;
};

type Options = {
  readonly models: Pick<Models, "forUser">;
  /** Ids of models, or `PROVIDER/*`; null: all. Default: all for everyone. */
  readonly findAllowed?: ((userId: string) => Promise<readonly string[] | null>) | undefined;
};

/** Asks for the limits of a user each time. The offline model is always allowed: it costs nothing and sends nothing. */
export function createModelAccess({ models: allModels, findAllowed }: Options): ModelAccess {
  const filterFor = async (userId: string): Promise<(id: string) => boolean> => {
    const allowed = (await findAllowed?.(userId)) ?? null;
    if (allowed === null) return () => true;
    const ids = new Set(allowed);
    const models = allModels.forUser(userId);
    return (id) => {
      const info = models.find(id)?.info;
      // Another name of a model is the same model.
      const known = info?.id ?? id;
      return info?.provider === "offline" || ids.has(known) || ids.has(`${known.slice(0, known.indexOf("/"))}/*`);
    };
  };
  return {
    filterFor,
    assertMayUse: async (userId, id) => {
      const mayUse = await filterFor(userId);
      if (mayUse(id)) return;
      throw new ApiError("forbidden", toRefusal(allModels.forUser(userId).find(id)?.info.name ?? id));
    },
    defaultFor: async (userId) => {
      const mayUse = await filterFor(userId);
      const models = allModels.forUser(userId);
      const { defaultId } = models;
      if (mayUse(defaultId)) return defaultId;
      const usable = models.list().filter(({ id, available }) => available && mayUse(id));
      return (usable.find(({ provider }) => provider !== "offline") ?? usable[0])?.id ?? defaultId;
    },
  };
}

const toRefusal = (name: string): string =>
  `An admin of this server does not allow ${name} for your account. Choose another model.`;
