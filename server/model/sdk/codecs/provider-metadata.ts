import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { Codec } from "./codec.ts";

/** Metadata also names the model that made it: another model of the same provider may reject it. */
const MAKER = "stonechat";

export const addMaker = (metadata: unknown, model: string): object => ({
  ...(typeof metadata === "object" ? metadata : {}),
  [MAKER]: { model },
});

/** The metadata that this model made, if any. Metadata without a maker is matched by its namespace alone. */
export const findOwnMetadata = (
  metadata: unknown,
  { namespace, model }: Codec,
): { readonly options: SharedV4ProviderOptions | null } | undefined => {
  if (typeof metadata !== "object" || metadata === null) return undefined;
  const { [MAKER]: maker, [namespace]: own } = metadata as Readonly<Record<string, unknown>>;
  if (maker !== undefined && (maker as { readonly model?: unknown } | null)?.model !== model) return undefined;
  if (isObject(own)) return { options: { [namespace]: own } as SharedV4ProviderOptions };
  return maker === undefined ? undefined : { options: null };
};

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
