import type { Model } from "../../protocol/api.ts";
import { modelLabels as strings } from "../strings/labels/models.ts";

/** "OpenRouter · free · 128k window · good at code" */
export function describeModel(model: Model): string {
  const price = model.local ? strings.local : model.free ? strings.free : toPrice(model);
  const window = model.windowTokens === null ? null : strings.window(toShort(model.windowTokens));
  const tools = model.tools === false ? strings.noTools : null;
  return [toProvider(model), price, window, tools, model.note].filter(Boolean).join(" · ");
}

export const toProvider = ({ provider, providerName }: Pick<Model, "provider" | "providerName">): string =>
  providerName ?? strings.providers[provider] ?? provider;

export function toPrice(model: Pick<Model, "prices">): string {
  const price = findPrice(model);
  return price === null ? strings.paid : strings.perMillion(price);
}

/** US dollars per million tokens; null: unknown. */
export const findPrice = ({ prices: { input, output } }: Pick<Model, "prices">): string | null =>
  input === null || output === null ? null : strings.price(toDollars(input), toDollars(output));

const toDollars = (price: number): string => `$${Number.isInteger(price) || price < 0.01 ? price : price.toFixed(2)}`;

export const toShort = (tokens: number): string =>
  tokens >= 1_000_000 ? `${+(tokens / 1_000_000).toFixed(1)}M` : `${Math.round(tokens / 1000)}k`;

/** Usable models first, of those the favorites, otherwise in the server's order. */
export function sortModels(models: readonly Model[], query: string): readonly Model[] {
  const words = query.trim().toLowerCase().split(/\s+/);
  const fits = (model: Model) => {
    const price = model.free ? strings.free : strings.paid;
    const favorite = model.favorite ? strings.noteFavorite : "";
    const text = `${model.name} ${model.id} ${toProvider(model)} ${price} ${favorite}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const rank = ({ available, favorite }: Model) => (available ? (favorite ? 0 : 1) : 2);
  return models.filter(fits).toSorted((a, b) => rank(a) - rank(b));
}

export type ModelGroup = { readonly reason: string | null; readonly models: readonly Model[] };

/** Usable models first, then the others, grouped by what they need. */
export function groupModels(models: readonly Model[]): readonly ModelGroup[] {
  const toReason = (model: Model) => (model.available ? null : (model.unavailable ?? strings.unavailable));
  const groups = Map.groupBy(models, toReason);
  return [...groups].map(([reason, members]) => ({ reason, models: members }));
}

/** An id that was typed in full but is not in any list, for a provider that is set up; null: it is not one. */
export function findTypedId(models: readonly Model[], query: string): string | null {
  const id = query.trim();
  const provider = /^([a-z][a-z0-9-]*)\/[!-~]+$/.exec(id)?.[1];
  const isKnown = models.some((model) => model.provider === provider && model.available && provider !== "offline");
  return isKnown && !models.some((model) => model.id === id) ? id : null;
}

/** Whether only the built-in offline model can answer. */
export const isOnlyOffline = (models: readonly Model[]): boolean =>
  models.length > 0 && models.every((model) => !model.available || model.provider === "offline");

/** Whether new messages can use this id: it is listed and available, or was typed for a provider that is set up. */
export const canUse = (models: readonly Model[], id: string): boolean =>
  models.some((model) => model.id === id && model.available) || findTypedId(models, id) !== null;
