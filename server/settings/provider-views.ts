import type { ModelInfo } from "../../protocol/api.ts";
import type { Provider, ProviderId, ProviderTest } from "../../protocol/settings/providers.ts";
import type { Config } from "../config/config.ts";
import type { Seal } from "../lib/seal.ts";
import { isKeyed, keyedProviders, needsAddress, takesAddress } from "../model/keyed-providers.ts";
import type { StoredProviders } from "../model/live-models.ts";
import type { ModelSettings } from "../model/models-config.ts";
import type { RowOf } from "../store/schema.ts";

type Row = RowOf<"providers">;
type Models = Config["models"];

const OPERATORS = "compatible";

/** Undefined: nothing is stored. Null: it was sealed with another instance key and cannot be opened. */
export function open(sealed: string | null | undefined, seal: Seal): string | null | undefined {
  if (!sealed) return undefined;
  try {
    return seal.decrypt(sealed);
  } catch {
    return null;
  }
}

export const openKey = (row: Row | undefined, seal: Seal): string | null | undefined => open(row?.sealed, seal);

export const openHeaders = (row: Row | undefined, seal: Seal): Readonly<Record<string, string>> =>
  JSON.parse(open(row?.sealed_headers, seal) ?? "{}") as Readonly<Record<string, string>>;

export const toOrigin = (url: string): string => new URL(url).origin;

/** Whether the key and the headers were set for this address. Keys from 0.1.0 belong to the address stored with them. */
export function belongsTo(row: Row, baseUrl: string): boolean {
  const origin = row.key_origin ?? (row.base_url && toOrigin(row.base_url));
  return origin === toOrigin(baseUrl);
}

/** The operator's address, which takes precedence over the stored one. */
const findOperatorsUrl = (id: ProviderId, { compatible, baseUrls }: Models): string | undefined =>
  id === OPERATORS ? compatible?.baseUrl : isKeyed(id) ? baseUrls[id] : undefined;

/** The configured address of this provider, to which its key is bound; undefined if none is set or can be set. */
export const findAddress = (id: ProviderId, row: Row | undefined, models: Models): string | undefined =>
  findOperatorsUrl(id, models) ?? (takesAddress(id) ? (row?.base_url ?? undefined) : undefined);

/** A key that was stored for another address is not used. */
const isForAddress = (row: Row, models: Models): boolean => {
  const url = findAddress(row.provider, row, models);
  if (!takesAddress(row.provider)) return true;
  return url === undefined ? row.key_origin === null : belongsTo(row, url);
};

type StoredRows = { readonly providers: readonly Row[]; readonly models: readonly RowOf<"model_settings">[] };

export function toStoredProviders({ providers, models }: StoredRows, seal: Seal, config: Models): StoredProviders {
  const usable = providers.map((row) => ({
    row,
    key: isForAddress(row, config) ? (openKey(row, seal) ?? undefined) : undefined,
    address: row.base_url === null ? undefined : { baseUrl: row.base_url, models: toNames(row) },
  }));
  const keyed = usable.filter(({ row }) => isKeyed(row.provider));
  const servers = usable.flatMap(({ row, key, address }) => {
    if (isKeyed(row.provider) || address === undefined) return [];
    if (row.provider === OPERATORS && config.compatible !== undefined) return [];
    const headers = isForAddress(row, config) ? openHeaders(row, seal) : {};
    return [[row.provider, { ...address, label: row.label ?? undefined, apiKey: key, headers }] as const];
  });
  return {
    keys: Object.fromEntries(keyed.map(({ row, key }) => [row.provider, key])),
    addresses: Object.fromEntries(
      keyed.flatMap(({ row, address }) => (address && takesAddress(row.provider) ? [[row.provider, address]] : [])),
    ),
    servers: Object.fromEntries(servers),
    compatibleKey: usable.find(({ row }) => row.provider === OPERATORS)?.key,
    proven: providers.filter((row) => toTest(row)?.outcome === "ok").map(({ provider }) => provider),
    settings: Object.fromEntries(models.map((row) => [row.model, toModelSettings(row)])),
    defaultModel: models.find(({ is_default }) => is_default !== 0)?.model,
  };
}

const toModelSettings = (row: RowOf<"model_settings">): ModelSettings => ({
  isFavorite: row.favorite !== 0,
  windowTokens: row.window_tokens,
  temperature: row.temperature,
  topP: row.top_p,
  vision: row.vision === null ? null : row.vision !== 0,
});

type ViewInput = {
  readonly id: ProviderId;
  readonly row: Row | undefined;
  readonly seal: Seal;
  readonly config: Models;
  readonly models: readonly ModelInfo[];
  readonly isProven: boolean;
};

export function toView({ id, row, seal, config, models, isProven }: ViewInput): Provider {
  const operators = id === OPERATORS ? config.compatible?.apiKey : isKeyed(id) ? config.keys[id] : undefined;
  const operatorsUrl = findOperatorsUrl(id, config);
  const ownUrl = takesAddress(id) ? (row?.base_url ?? undefined) : undefined;
  const baseUrl = operatorsUrl ?? ownUrl ?? null;
  const stored = openKey(row, seal);
  const otherOrigin = row && takesAddress(id) && baseUrl !== null ? findOtherOrigin(row, baseUrl) : null;
  const key = otherOrigin === null ? stored : undefined;
  const hasKey = Boolean(operators) || typeof key === "string";
  const names = operatorsUrl !== undefined && id === OPERATORS ? config.compatible?.models : row && toNames(row);
  return {
    id,
    ...toLabel(id, row),
    kind: isKeyed(id) ? "hosted" : "server",
    key: operators ? "environment" : typeof key === "string" ? "here" : "none",
    keySetAt: !operators && typeof key === "string" ? (row?.key_at ?? null) : null,
    takesAddress: takesAddress(id),
    address: operatorsUrl !== undefined ? "environment" : ownUrl !== undefined ? "here" : "none",
    baseUrl,
    modelNames: [...(names ?? [])],
    headers: otherOrigin === null ? Object.keys(openHeaders(row, seal)) : [],
    isReady: isKeyed(id) ? hasKey && (!needsAddress(id) || baseUrl !== null) : baseUrl !== null,
    models: models.filter(({ provider, available }) => provider === id && available).length,
    note: toNote({ id, operators, key, operatorsUrl, ownUrl, otherOrigin, isStored: typeof stored === "string" }),
    lastTest: row ? toTest(row) : null,
    isProven,
  };
}

const toLabel = (id: ProviderId, row: Row | undefined): { readonly label: string; readonly variable: string } => {
  if (isKeyed(id)) return keyedProviders[id];
  if (id === OPERATORS)
    return { label: row?.label ?? "OpenAI-compatible server", variable: "STONECHAT_COMPATIBLE_KEY" };
  return { label: row?.label ?? id, variable: "" };
};

/** The server that the stored or removed key was for, if it is not the one at `baseUrl`. */
function findOtherOrigin(row: Row, baseUrl: string): string | null {
  const hadKey = row.sealed !== null || row.sealed_headers !== null || row.key_origin !== null;
  if (!hadKey || belongsTo(row, baseUrl)) return null;
  return row.key_origin ?? (row.base_url === null ? "another server" : toOrigin(row.base_url));
}

type NoteInput = {
  readonly id: ProviderId;
  readonly operators: string | undefined;
  readonly key: string | null | undefined;
  readonly operatorsUrl: string | undefined;
  readonly ownUrl: string | undefined;
  /** The server that a key was stored for, if it is not the one in use. */
  readonly otherOrigin: string | null;
  readonly isStored: boolean;
};

function toNote({ id, operators, key, operatorsUrl, ownUrl, otherOrigin, isStored }: NoteInput): string | null {
  const { variable } = toLabel(id, undefined);
  if (operators && key !== undefined) return `The key from ${variable} is used instead of the one set here.`;
  if (otherOrigin !== null && isStored)
    return `The stored key belongs to ${otherOrigin} and is not sent to this address. Add this server's key if it needs one.`;
  if (otherOrigin !== null && !operators)
    return `The key for ${otherOrigin} was removed when the address changed. Add this server's key if it needs one.`;
  if (operatorsUrl !== undefined && ownUrl !== undefined) {
    return `The address ${operatorsUrl} from the server's environment is used instead of the one set here.`;
  }
  if (key === null) return "The stored key cannot be read, because the instance secret changed. Enter the key again.";
  return null;
}

const toNames = ({ models }: Row): readonly string[] => JSON.parse(models) as readonly string[];

export const toTest = ({ test }: Row): ProviderTest | null =>
  test === null ? null : (JSON.parse(test) as ProviderTest);
