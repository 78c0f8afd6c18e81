import type { ModelInfo } from "../../protocol/api.ts";
import { modelLabels as strings } from "../strings/labels/models.ts";
import { toPageText } from "./notices.ts";

/** "OpenRouter · free · 128k window · good at code" */
export function describeModel(model: ModelInfo): string {
  const price = model.local ? strings.local : model.free ? strings.free : toPrice(model);
  const window = model.windowTokens === null ? null : strings.window(toShort(model.windowTokens));
  const tools = model.tools === false ? strings.noTools : null;
  return [toProvider(model), price, window, tools, model.note].filter(Boolean).join(" · ");
}

export const toProvider = ({ provider, providerName }: Pick<ModelInfo, "provider" | "providerName">): string =>
  providerName ?? strings.providers[provider] ?? provider;

export function toPrice(model: Pick<ModelInfo, "prices">): string {
  const price = findPrice(model);
  return price === null ? strings.paid : strings.perMillion(price);
}

/** US dollars per million tokens; null: unknown. */
export const findPrice = ({ prices: { input, output } }: Pick<ModelInfo, "prices">): string | null =>
  input === null || output === null ? null : strings.price(toDollars(input), toDollars(output));

const toDollars = (price: number): string => `$${Number.isInteger(price) || price < 0.01 ? price : price.toFixed(2)}`;

export const toShort = (tokens: number): string =>
  tokens >= 1_000_000 ? `${+(tokens / 1_000_000).toFixed(1)}M` : `${Math.round(tokens / 1000)}k`;

export type ModelOrder = {
  /** The chosen model comes first, whether or not it works. */
  readonly current?: string;
  /** The default and the models of recent threads, best first. */
  readonly preferred?: readonly string[];
  /** A model that did not answer: it comes last of the usable ones, after the others of its provider. */
  readonly avoided?: string;
};

/**
 * Usable models first, of those the favorites and the preferred ones. The demo model comes after other usable models, and those
 * whose provider failed its test come last.
 */
export function sortModels(models: readonly ModelInfo[], query: string, order: ModelOrder = {}): readonly ModelInfo[] {
  const { current, preferred = [], avoided } = order;
  const avoidedProvider = models.find(({ id }) => id === avoided)?.provider;
  const words = query.trim().toLowerCase().split(/\s+/);
  const fits = (model: ModelInfo) => {
    const price = model.free ? strings.free : strings.paid;
    const favorite = model.favorite ? strings.noteFavorite : "";
    const text = `${model.name} ${model.id} ${toProvider(model)} ${price} ${favorite}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const places = new Map(preferred.map((id, index) => [id, index - preferred.length]));
  const rank = ({ id, provider, available, failing, favorite }: ModelInfo): number => {
    if (id === current) return -Infinity;
    const place = favorite ? -preferred.length - 1 : (places.get(id) ?? 1);
    const isDemo = provider === "offline" && favorite !== true;
    const level = !available ? 5 : failing ? 4 : id === avoided ? 3 : isDemo ? 2 : provider === avoidedProvider ? 1 : 0;
    return level * (preferred.length + 3) + place;
  };
  const ranked = models.filter(fits).map((model) => ({ model, at: rank(model) }));
  return ranked.toSorted((a, b) => (a.at === b.at ? 0 : a.at - b.at)).map(({ model }) => model);
}

export type ModelGroup = {
  /** Why its models cannot be used; null: they can. */
  readonly reason: string | null;
  /** The provider or server of usable models; null: the default and the favorites of all. */
  readonly provider?: string | null;
  readonly models: readonly ModelInfo[];
};

/** Why a model cannot be used, or "". */
export const describeObstacle = ({ unavailable, unavailableSentences }: ModelInfo): string =>
  toPageText({ text: unavailable ?? "", sentences: unavailableSentences });

/** The default and the favorites, then usable models by provider, then the others, grouped by what they need. */
export function groupModels(models: readonly ModelInfo[], defaultId: string): readonly ModelGroup[] {
  const isFirst = ({ id, favorite }: ModelInfo) => id === defaultId || favorite === true;
  const usable = models.filter(({ available }) => available);
  const first = usable.filter(isFirst).toSorted((a, b) => Number(b.id === defaultId) - Number(a.id === defaultId));
  const byProvider = Map.groupBy(
    usable.filter((model) => !isFirst(model)),
    toProvider,
  );
  const toReason = (model: ModelInfo) => describeObstacle(model) || strings.unavailable;
  const byReason = Map.groupBy(
    models.filter(({ available }) => !available),
    toReason,
  );
  return [
    ...(first.length > 0 ? [{ reason: null, provider: null, models: first }] : []),
    ...[...byProvider].map(([provider, members]) => ({ reason: null, provider, models: members })),
    ...[...byReason].map(([reason, members]) => ({ reason, models: members })),
  ];
}

/** At most `limit` models of these groups, in their order. */
export function limitGroups(groups: readonly ModelGroup[], limit: number): readonly ModelGroup[] {
  let left = limit;
  return groups.flatMap((group) => {
    const models = group.models.slice(0, Math.max(0, left));
    left -= models.length;
    return models.length > 0 ? [{ ...group, models }] : [];
  });
}

/** An id that was typed in full but is not in any list, for a provider that is set up; null: it is not one. */
export function findTypedId(models: readonly ModelInfo[], query: string): string | null {
  const id = query.trim();
  const provider = /^([a-z][a-z0-9-]*)\/[!-~]+$/.exec(id)?.[1];
  const isKnown = models.some((model) => model.provider === provider && model.available && provider !== "offline");
  return isKnown && !models.some((model) => model.id === id) ? id : null;
}

/** Whether only the built-in offline model can answer. */
export const isOnlyOffline = (models: readonly ModelInfo[]): boolean =>
  models.length > 0 && models.every((model) => !model.available || model.provider === "offline");

/** Whether new messages can use this id: it is listed and available, or was typed for a provider that is set up. */
export const canUse = (models: readonly ModelInfo[], id: string): boolean =>
  models.some((model) => model.id === id && model.available) || findTypedId(models, id) !== null;

/** Whether the last test of the model's provider failed. */
export const isFailing = (models: readonly ModelInfo[], id: string): boolean =>
  models.some((model) => model.failing === true && (model.id === id || id.startsWith(`${model.provider}/`)));
