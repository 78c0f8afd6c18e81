import { readFileSync } from "node:fs";
import type { KeyedProvider } from "./keyed-providers.ts";

/**
 * Known models, from a dated file that `npm run catalog` refreshes. Each figure comes from its `source` on that date; null or
 * absent means unknown. Prices are US dollars per million tokens. A provider's own list overrides these at run time.
 */
export type CatalogEntry = {
  readonly provider: KeyedProvider;
  /** The provider's name of the model; our id is `provider/name`. */
  readonly model: string;
  readonly name: string;
  /** Only for recommended models, which are listed before a provider's list is read. */
  readonly note?: string;
  readonly reasoning: boolean;
  /** Whether it accepts images. */
  readonly vision: boolean;
  readonly tools?: boolean;
  /** Whether it takes temperature and top-p. */
  readonly sampling?: boolean;
  /** Date of release. */
  readonly date?: string;
  readonly windowTokens: number | null;
  readonly prices: Prices;
  readonly source: { readonly from: string; readonly date: string };
};

export type Prices = {
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
};

const file = new URL("catalog.json", import.meta.url);

export const catalog = (JSON.parse(readFileSync(file, "utf8")) as { readonly models: readonly CatalogEntry[] }).models;

const byId = new Map(catalog.map((entry) => [`${entry.provider}/${entry.model}`, entry]));

/** Also finds a dated snapshot by its family, such as `claude-haiku-4-5-20251001`. */
export const findEntry = (provider: string, model: string): CatalogEntry | undefined =>
  byId.get(`${provider}/${model}`) ?? byId.get(`${provider}/${toFamily(model)}`);

/** The name without the date of a snapshot. */
export const toFamily = (model: string): string => model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "");
