import type { LanguageModelV4, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { Effort } from "../../../protocol/model.ts";
import type { Listing } from "../lists/listing.ts";

/** A provider package behind a common interface, with its differences as data. */
export type Provider = {
  readonly label: string;
  /** Values that must never appear in a text for users. */
  readonly secrets: readonly string[];
  /** The key of its package's metadata, which must be sent back unchanged (signatures, encrypted reasoning). */
  readonly namespace: string;
  /** Whether a finish without a reason from the provider means that the stream was cut. */
  readonly saysFinish: boolean;
  /** May run on slow hardware and load its model on demand, so the first token may take minutes. */
  readonly isSelfHosted?: true;
  /** Models there may write their reasoning into the content, in `<think>` tags. */
  readonly hasThinkTags?: true;
  /** Its package is loaded only if the provider is configured: each adds 0.1 s to startup. */
  readonly languageModel: (model: string) => LanguageModelV4 | Promise<LanguageModelV4>;
  /** `canReason`: whether a reasoning effort may be sent to the model. */
  readonly callOptions: (effort: Effort, canReason: boolean) => CallOptions;
  /** Reads the models with the key. Throws `BadStatus` if the key is rejected, unless `checkKey` exists. */
  readonly readList: (signal: AbortSignal) => Promise<ProviderList>;
  /** Checks the key. Only for providers whose list is public. */
  readonly checkKey?: (signal: AbortSignal) => Promise<void>;
};

export type ProviderList = {
  readonly listings: readonly Listing[];
  /** Number of rows; undefined if the reply is not a list. */
  readonly count: number | undefined;
};

export type CallOptions = { readonly reasoning?: Effort; readonly providerOptions?: SharedV4ProviderOptions };

export type Fetch = typeof globalThis.fetch;

/** A package that cannot be loaded fails its calls, not the process. */
export const load = <Package, Sdk>(
  loading: Promise<Package>,
  create: (found: Package) => Sdk,
): (() => Promise<Sdk>) => {
  const created = loading.then(create);
  created.catch(() => {});
  return () => created;
};

export const isSet = (key: string | undefined): key is string => key !== undefined && key !== "";
export const at = (baseURL: string | undefined) => (baseURL === undefined ? {} : { baseURL });
export const asReasoning = (effort: Effort, canReason: boolean): CallOptions =>
  canReason ? { reasoning: effort } : {};
export const withoutSlash = (url: string): string => url.replace(/(?<!\/)\/+$/, "");
