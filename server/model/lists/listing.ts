import type { Prices } from "../catalog.ts";

/** One model in a provider's list. null or absent: the list does not say. */
export type Listing = {
  readonly model: string;
  readonly name: string;
  readonly windowTokens: number | null;
  readonly prices: Prices | null;
  readonly reasoning?: boolean;
  readonly vision?: boolean;
  readonly tools?: boolean;
  /** Whether the server takes a reasoning effort for it. */
  readonly effort?: boolean;
  /** Whether it takes temperature and top-p. */
  readonly sampling?: boolean;
  /** Date of release, or of installation on a local server: YYYY-MM-DD. */
  readonly date?: string;
  /** Whether a local server has it in memory: its window is then the one in use, and otherwise an assumption. */
  readonly isLoaded?: boolean;
};

type Rec = Record<string, unknown>;

export const isRecord = (value: unknown): value is Rec => typeof value === "object" && value !== null;

/** The rows of a list: `data` of OpenAI and most others, `models` of Google and Ollama. */
export const toRows = (list: unknown): readonly Rec[] | undefined => {
  if (!isRecord(list)) return undefined;
  const rows = list["data"] ?? list["models"] ?? list["modelSummaries"];
  // Ollama without models.
  if ((rows ?? null) === null && list["object"] === "list") return [];
  return Array.isArray(rows) ? rows.filter(isRecord) : undefined;
};

/**
 * Reads a provider's list: OpenAI, Anthropic, Google, OpenRouter, Mistral, xAI, Groq, DeepSeek, Bedrock, vLLM, llama.cpp and
 * other OpenAI-compatible servers. Invalid rows and models that cannot chat are skipped.
 */
export const toListings = (list: unknown): readonly Listing[] =>
  (toRows(list) ?? []).flatMap((row) => {
    const id = row["id"] ?? row["modelId"] ?? row["name"];
    if (typeof id !== "string" || id === "" || !canChat(row)) return [];
    const model = id.replace(/^models\//, "");
    return [{ ...toFacts(row), model, name: toName(row, model) }];
  });

const toName = (row: Rec, model: string): string => {
  const name = row["display_name"] ?? row["displayName"] ?? row["modelName"] ?? row["name"];
  return typeof name === "string" && name !== "" && !name.startsWith("models/") ? name : model;
};

const toFacts = (row: Rec): Omit<Listing, "model" | "name"> => {
  const date = toDate(row["created"] ?? row["created_at"]);
  return {
    windowTokens: toWindow(row),
    prices: isRecord(row["pricing"]) ? toPrices(row["pricing"]) : null,
    ...toAbilities(row),
    ...(date === undefined ? {} : { date }),
  };
};

/** The window in use is preferred to the one that the model was trained with. */
const toWindow = (row: Rec): number | null => {
  const meta = isRecord(row["meta"]) ? row["meta"] : {};
  const named = [
    row["context_length"],
    row["max_model_len"],
    row["context_window"],
    row["max_context_length"],
    row["max_input_tokens"],
    row["inputTokenLimit"],
    meta["n_ctx"],
  ];
  return named.map(toCount).find((count) => count !== null) ?? null;
};

const toAbilities = (row: Rec): Partial<Listing> => {
  const parameters = row["supported_parameters"];
  const modalities = isRecord(row["architecture"]) ? row["architecture"]["input_modalities"] : row["inputModalities"];
  const abilities = isRecord(row["capabilities"]) ? row["capabilities"] : {};
  const has = (name: string): boolean | undefined => {
    const value = abilities[name];
    if (isRecord(value)) return typeof value["supported"] === "boolean" ? value["supported"] : undefined;
    return typeof value === "boolean" ? value : undefined;
  };
  return dropUnknown({
    ...(Array.isArray(parameters)
      ? {
          reasoning: parameters.includes("reasoning"),
          tools: parameters.includes("tools"),
          sampling: parameters.includes("temperature"),
          effort: parameters.includes("reasoning") || parameters.includes("reasoning_effort"),
        }
      : {}),
    ...dropUnknown({
      reasoning: has("thinking") ?? has("reasoning") ?? (row["thinking"] === true ? true : undefined),
      tools: has("function_calling"),
      vision: has("vision") ?? has("image_input"),
    }),
    ...(Array.isArray(modalities)
      ? { vision: modalities.some((one) => typeof one === "string" && one.toLowerCase() === "image") }
      : {}),
  });
};

/** Without properties that are undefined. */
export const dropUnknown = <T extends object>(facts: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as never;

/** Lists that name what a model can do are believed; for others only the name tells. */
const canChat = (row: Rec): boolean => {
  const methods = row["supportedGenerationMethods"];
  if (Array.isArray(methods) && !methods.includes("generateContent")) return false;
  if (isRecord(row["capabilities"]) && row["capabilities"]["completion_chat"] === false) return false;
  if (row["active"] === false) return false;
  const outputs = row["outputModalities"];
  if (Array.isArray(outputs) && !outputs.includes("TEXT")) return false;
  if (row["responseStreamingSupported"] === false) return false;
  const type = row["type"];
  return type !== "embedding" && type !== "embeddings";
};

/** Whether a model can chat, by its name: most lists do not say. */
export const isChatModel = ({ model }: Pick<Listing, "model">): boolean => !notForChat.test(model);
const notForChat =
  /embed|rerank|whisper|moderation|transcribe|realtime|dall-e|(?:^|[/_-])(?:tts|bge|sora|imagen|veo|audio|image|speech)(?:[/_.-]|$)|-(?:audio|tts|image)\b|^(?:babbage|davinci)-00/i;

export const toCount = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : null;

/** Seconds since 1970, or an ISO date. Placeholders such as 0 are dropped. */
export const toDate = (value: unknown): string | undefined => {
  const ms = typeof value === "number" ? value * 1000 : typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (!Number.isFinite(ms) || ms < firstModel || ms > 8e12) return undefined;
  return new Date(ms).toISOString().slice(0, 10);
};
const firstModel = Date.parse("2018-01-01");

/** The list has prices per token, as text; Stonechat's are per million tokens. A negative price means that it varies. */
const toPrices = (pricing: Rec): Prices => {
  const perMillion = (value: unknown): number | null => {
    const price = typeof value === "string" || typeof value === "number" ? Number(value) : Number.NaN;
    return Number.isFinite(price) && price >= 0 ? Math.round(price * 1e12) / 1e6 : null;
  };
  return {
    input: perMillion(pricing["prompt"]),
    output: perMillion(pricing["completion"]),
    cacheRead: perMillion(pricing["input_cache_read"]),
    cacheWrite: perMillion(pricing["input_cache_write"]),
  };
};
