import type { Model } from "../../protocol/api.ts";
import { providerIds, type Provider, type ProviderId, type ProviderTest } from "../../protocol/settings/providers.ts";
import type { Config } from "../config/config.ts";
import type { Seal } from "../lib/seal.ts";
import type { StoredProvider } from "../model/live-models.ts";
import type { RowOf } from "../store/schema.ts";

type Row = RowOf<"providers">;

const labels: Readonly<Record<ProviderId, { readonly label: string; readonly variable: string }>> = {
  openrouter: { label: "OpenRouter", variable: "OPENROUTER_API_KEY" },
  openai: { label: "OpenAI", variable: "OPENAI_API_KEY" },
  anthropic: { label: "Anthropic", variable: "ANTHROPIC_API_KEY" },
  google: { label: "Google", variable: "GOOGLE_GENERATIVE_AI_API_KEY" },
  compatible: { label: "OpenAI-compatible server", variable: "STONECHAT_COMPATIBLE_KEY" },
};

/** Undefined: no key is stored. Null: it was sealed with another instance key and cannot be opened. */
export function openKey(row: Row | undefined, seal: Seal): string | null | undefined {
  if (!row?.sealed) return undefined;
  try {
    return seal.decrypt(row.sealed);
  } catch {
    return null;
  }
}

export const toOrigin = (url: string): string => new URL(url).origin;

/** Whether the compatible server's key was set for this address. Keys from 0.1.0 belong to the address stored with them. */
export function belongsTo(row: Row, baseUrl: string): boolean {
  const origin = row.key_origin ?? (row.base_url && toOrigin(row.base_url));
  return origin === toOrigin(baseUrl);
}

/** `operatorsUrl`: the compatible server's address from the environment, which takes precedence over the stored one. */
export function toStoredProvider(rows: readonly Row[], seal: Seal, operatorsUrl: string | undefined): StoredProvider {
  const byId = new Map(rows.map((row) => [row.provider, row]));
  const row = byId.get("compatible");
  const url = operatorsUrl ?? row?.base_url;
  if (row && !(url && belongsTo(row, url))) byId.set("compatible", { ...row, sealed: null });
  const keys = Object.fromEntries(providerIds.map((id) => [id, openKey(byId.get(id), seal) ?? undefined]));
  return { keys, address: row?.base_url ? { baseUrl: row.base_url, models: toNames(row) } : null };
}

type ViewInput = {
  readonly id: ProviderId;
  readonly row: Row | undefined;
  readonly key: string | null | undefined;
  readonly config: Config["models"];
  readonly models: readonly Model[];
};

export function toView({ id, row, key: stored, config, models }: ViewInput): Provider {
  const operators = id === "compatible" ? config.compatible?.apiKey : config.keys[id];
  const operatorsUrl = id === "compatible" ? config.compatible?.baseUrl : config.baseUrls[id];
  const ownUrl = id === "compatible" ? (row?.base_url ?? undefined) : undefined;
  const baseUrl = operatorsUrl ?? ownUrl ?? null;
  const otherOrigin = id === "compatible" && row && baseUrl !== null ? findOtherOrigin(row, baseUrl) : null;
  const key = otherOrigin === null ? stored : undefined;
  const hasKey = Boolean(operators) || typeof key === "string";
  const names = operatorsUrl !== undefined && id === "compatible" ? config.compatible?.models : row && toNames(row);
  return {
    id,
    ...labels[id],
    key: operators ? "environment" : typeof key === "string" ? "here" : "none",
    keySetAt: !operators && typeof key === "string" ? (row?.key_at ?? null) : null,
    takesAddress: id === "compatible",
    address: operatorsUrl !== undefined ? "environment" : ownUrl !== undefined ? "here" : "none",
    baseUrl,
    modelNames: [...(names ?? [])],
    isReady: id === "compatible" ? baseUrl !== null : hasKey,
    models: models.filter(({ provider, available }) => provider === id && available).length,
    note: toNote({ id, operators, key, operatorsUrl, ownUrl, otherOrigin, isStored: typeof stored === "string" }),
    lastTest: row?.test ? (JSON.parse(row.test) as ProviderTest) : null,
  };
}

/** The server that the stored or removed key belongs to, if it is a different one. */
function findOtherOrigin(row: Row, baseUrl: string): string | null {
  const hadKey = row.sealed !== null || row.key_origin !== null;
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
  const { variable } = labels[id];
  if (operators && key !== undefined) return `The key from ${variable} is used instead of the one set here.`;
  if (otherOrigin !== null && isStored)
    return `The stored key belongs to ${otherOrigin} and is not sent to this address. Add this server's key if it needs one.`;
  if (otherOrigin !== null && !operators)
    return `The key for ${otherOrigin} was removed when the address changed. Add this server's key if it needs one.`;
  if (operatorsUrl !== undefined && ownUrl !== undefined) {
    return "The address from STONECHAT_COMPATIBLE_URL is used instead of the one set here.";
  }
  if (key === null) return "The stored key cannot be read, because the instance secret changed. Enter the key again.";
  return null;
}

const toNames = ({ models }: Row): readonly string[] => JSON.parse(models) as readonly string[];
