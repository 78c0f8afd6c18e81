import { sentence, type Sentence } from "../../protocol/sentences.ts";
import type { ModelInfo } from "../../protocol/api.ts";
import { isLocalAddress, isLoopbackAddress } from "../net/local-address.ts";
import { findEntry } from "./catalog.ts";
import { isKeyed, keyedProviders, needsAddress } from "./keyed-providers.ts";
import type { Listing } from "./lists/listing.ts";
import { unknownPrices } from "./model.ts";
import { listServers, type ModelsConfig } from "./models-config.ts";

const noPrices = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const ownList = "the provider's own list";

/** The model's row in the provider's list, and when it was read. */
type DatedListing = { readonly listing: Listing; readonly date: string };

/**
 * Everything known about a model: from its provider's list, then from the catalog, then by its name. The user's settings
 * override all of them.
 */
export const describeModel = (
  config: ModelsConfig,
  provider: string,
  name: string,
  listed?: DatedListing,
): ModelInfo => {
  const server = new Map(listServers(config)).get(provider);
  const facts = server === undefined ? toHostedFacts(provider, name, listed) : toServerFacts(server, name, listed);
  const id = `${provider}/${name}`;
  const settings = config.settings?.[id];
  const { windowTokens, ...others } = facts;
  const vision = settings?.vision ?? facts.vision;
  return {
    id,
    provider,
    ...others,
    ...(vision === undefined ? {} : { vision }),
    ...(server?.label === undefined ? {} : { providerName: server.label }),
    ...(server !== undefined && isLocalAddress(server.baseUrl) ? { local: true } : {}),
    windowTokens: settings?.windowTokens ?? windowTokens,
    ...(settings?.isFavorite ? { favorite: true } : {}),
    ...(settings === undefined
      ? {}
      : {
          settings: {
            windowTokens: settings.windowTokens,
            temperature: settings.temperature,
            topP: settings.topP,
            vision: settings.vision,
          },
        }),
  };
};

type Facts = Omit<ModelInfo, "id" | "provider" | "favorite" | "settings" | "local" | "providerName">;

const toHostedFacts = (provider: string, name: string, listed: DatedListing | undefined): Facts => {
  const entry = findEntry(provider, name);
  const listing = listed?.listing;
  const prices = listing?.prices ?? entry?.prices ?? unknownPrices;
  const isListed = listed !== undefined && (listing?.windowTokens !== null || listing?.prices !== null);
  const vision = listing?.vision ?? entry?.vision;
  const tools = listing?.tools ?? entry?.tools;
  const sampling = listing?.sampling ?? entry?.sampling;
  const date = entry?.date ?? listing?.date;
  const reasoning = listing?.reasoning ?? entry?.reasoning ?? reasoningNames.test(name);
  return {
    name: entry !== undefined && entry.model === name ? entry.name : (listing?.name ?? entry?.name ?? name),
    free: prices.input === 0 && prices.output === 0,
    available: true,
    unavailable: null,
    note: entry?.note ?? "",
    reasoning,
    ...(vision === undefined ? {} : { vision }),
    ...(tools === undefined ? {} : { tools }),
    ...(sampling === undefined ? {} : { sampling }),
    ...(date === undefined ? {} : { date }),
    windowTokens: listing?.windowTokens ?? entry?.windowTokens ?? null,
    prices,
    source: isListed ? { from: ownList, date: listed.date } : (entry?.source ?? null),
  };
};

const toServerFacts = (
  { baseUrl }: { readonly baseUrl: string },
  name: string,
  listed: DatedListing | undefined,
): Facts => {
  const listing = listed?.listing;
  const reasoning = listing?.reasoning ?? reasoningNames.test(name);
  const effort = listing?.effort ?? effortNames.test(name);
  return {
    name: listing?.name ?? name,
    ...(isLoopbackAddress(baseUrl)
      ? { free: true, prices: noPrices }
      : { free: false, prices: listing?.prices ?? unknownPrices }),
    available: true,
    unavailable: null,
    note: "",
    reasoning,
    effort,
    ...toVision(listing?.vision, name),
    sampling: listing?.sampling ?? true,
    ...(listing?.tools === undefined ? {} : { tools: listing.tools }),
    ...(listing?.date === undefined ? {} : { date: listing.date }),
    ...(listing?.isLoaded === undefined ? {} : { loaded: listing.isLoaded }),
    windowTokens: listing?.windowTokens ?? null,
    source: listed === undefined ? null : { from: "the server's own list", date: listed.date },
  };
};

/** A name that says nothing leaves it unknown. */
const toVision = (listed: boolean | undefined, name: string): { readonly vision?: boolean } => {
  if (listed !== undefined) return { vision: listed };
  return visionNames.test(name) ? { vision: true } : {};
};

/** Why a model of this provider cannot be used; null if it can. */
export const findObstacle = (config: ModelsConfig, provider: string): Sentence | null => {
  if (!isKeyed(provider)) return null;
  const { label, variable } = keyedProviders[provider];
  if ((config.keys[provider] ?? "") === "") return sentence("model-needs-key", label, variable);
  return needsAddress(provider) && !config.baseUrls?.[provider] ? sentence("model-needs-address", label) : null;
};

/** Families by name. Self-hosted servers and some providers' lists seldom report these. */
const visionNames =
  /llava|bakllava|moondream|pixtral|vision|minicpm-v|internvl|gemma-?[34](?!n)|llama-?4|qwen[\w.]{0,40}-?vl|[-_]vl\b|gpt-(4o|4\.1|5)|claude|gemini/i;
const reasoningNames =
  /(?:^|[/_-])(?:o[1-9]|r1|qwq|gpt-5|gpt-oss|qwen-?3|magistral|grok-[34]|deepseek-r|deepseek-reasoner|kimi-k2-thinking)|thinking|reason|claude-(?:opus|sonnet|haiku)-[4-9]|gemini-(?:2\.5|[3-9])/i;
/** Its chat template takes an effort, whichever server runs it. */
const effortNames = /gpt-oss/i;
