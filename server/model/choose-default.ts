import type { ModelInfo } from "../../protocol/api.ts";
import type { ModelsConfig } from "./models-config.ts";
import { offlineId } from "./offline/offline-model.ts";
import { scriptedIds } from "./scripted.ts";

type Options = {
  readonly config: ModelsConfig;
  readonly models: readonly ModelInfo[];
  readonly find: (id: string) => ModelInfo | undefined;
  /** Whether each provider could be reached and accepted the key. */
  readonly checked: ReadonlyMap<string, boolean>;
};

/**
 * The model of new threads: the operator's choice, then the user's, then the cheapest recommended model of a provider that is
 * known to work. A provider that was never reached, or that rejects its key, is not chosen.
 */
export const chooseDefault = ({ config, models, find, checked }: Options): string => {
  if (config.defaultModel !== undefined) return config.defaultModel;
  if (config.chosenDefault !== undefined && find(config.chosenDefault)?.available) return config.chosenDefault;
  if (config.scripted !== undefined) return scriptedIds.main;
  const works = (provider: string): boolean => isProven(config, checked, provider);
  const [best] = models
    .filter(({ provider, available }) => available && works(provider))
    .map((model, index) => ({ id: model.id, rank: [...rankOf(model), index] }))
    .toSorted((a, b) => compare(a.rank, b.rank));
  return best?.id ?? offlineId;
};

/** Whether the provider has answered with this key, now or when it was last tested. */
export const isProven = (
  { compatible, proven }: ModelsConfig,
  checked: ReadonlyMap<string, boolean>,
  provider: string,
): boolean => {
  // A server without a list cannot be checked. The operator named its models.
  const isNamed = provider === "compatible" && (compatible?.models ?? []).length > 0;
  return checked.get(provider) ?? (isNamed || (proven ?? []).includes(provider));
};

/** Lower is better: on this machine, without cost, recommended, with tools, loaded, cheap. */
const rankOf = ({ local, free, note, tools, loaded, prices: { input, output } }: ModelInfo): number[] => [
  local ? 0 : 1,
  free ? 0 : 1,
  note === "" ? 1 : 0,
  tools === false ? 1 : 0,
  loaded ? 0 : 1,
  input === null || output === null ? Number.MAX_VALUE : input + output,
];

const compare = (a: readonly number[], b: readonly number[]): number => {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
};
