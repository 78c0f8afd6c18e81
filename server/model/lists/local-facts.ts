import { dropUnknown, isRecord, toCount, toDate, toRows, type Listing } from "./listing.ts";

/**
 * Facts about the models of a self-hosted server that its OpenAI-compatible list lacks, from the server's own API: the
 * window in use, and whether a model takes tools, images and a reasoning effort.
 */
export type Ask = (path: string, body?: unknown) => Promise<unknown>;

/** Models that are asked for one by one, the first of the list. */
const maxShown = 60;
/** Ollama's window for a model that is not loaded and has no `num_ctx`, unless its operator set another. */
const ollamaWindow = 4096;

/** `list`: the server's reply to `/v1/models`. Facts that cannot be read are left out. */
export async function addLocalFacts(
  listings: readonly Listing[],
  list: unknown,
  { ask, port }: { readonly ask: Ask; readonly port: string },
): Promise<readonly Listing[]> {
  const owners = new Set((toRows(list) ?? []).map((row) => row["owned_by"]));
  if (owners.has("llamacpp")) return addPropsOfLlamaCpp(listings, ask);
  if (owners.has("organization_owner")) return addFactsOfLmStudio(listings, ask);
  if (owners.has("library") || port === "11434") return addFactsOfOllama(listings, ask);
  return listings;
}

/** `/props` has the window of a slot, which is smaller than the one that the model was trained with. */
async function addPropsOfLlamaCpp(listings: readonly Listing[], ask: Ask): Promise<readonly Listing[]> {
  const props = await orNothing(ask("/props"));
  const settings = props["default_generation_settings"];
  const windowTokens = isRecord(settings) ? toCount(settings["n_ctx"]) : null;
  const modalities = props["modalities"];
  const vision = isRecord(modalities) && typeof modalities["vision"] === "boolean" ? modalities["vision"] : undefined;
  return listings.map((one) => ({
    ...one,
    windowTokens: windowTokens ?? one.windowTokens,
    sampling: true,
    ...dropUnknown({ vision }),
    ...(windowTokens === null ? {} : { isLoaded: true }),
  }));
}

/** Version 1 of its API lists loaded instances, version 0 the state of each model. */
async function addFactsOfLmStudio(listings: readonly Listing[], ask: Ask): Promise<readonly Listing[]> {
  const newer = toRows(await orNothing(ask("/api/v1/models"))) ?? [];
  const rows = newer.length > 0 ? newer : (toRows(await orNothing(ask("/api/v0/models"))) ?? []);
  const byId = new Map(rows.map((row) => [row["key"] ?? row["id"], row]));
  return listings.flatMap((one) => {
    const row = byId.get(one.model);
    if (row === undefined) return [{ ...one, sampling: true }];
    if (row["type"] === "embedding" || row["type"] === "embeddings") return [];
    const loaded = findLoadedWindow(row);
    const abilities = row["capabilities"];
    const [vision, tools] = isRecord(abilities)
      ? Array.isArray(abilities)
        ? [row["type"] === "vlm", abilities.includes("tool_use")]
        : [abilities["vision"] === true, abilities["trained_for_tool_use"] === true]
      : [row["type"] === "vlm" ? true : undefined, undefined];
    return [
      {
        ...one,
        windowTokens: loaded ?? toCount(row["max_context_length"]),
        sampling: true,
        ...dropUnknown({ vision, tools }),
        isLoaded: loaded !== null,
      },
    ];
  });
}

const findLoadedWindow = (row: Record<string, unknown>): number | null => {
  const [instance] = Array.isArray(row["loaded_instances"]) ? (row["loaded_instances"] as unknown[]) : [];
  const config = isRecord(instance) ? instance["config"] : undefined;
  return (isRecord(config) ? toCount(config["context_length"]) : null) ?? toCount(row["loaded_context_length"]);
};

/** A loaded model has the window in `/api/ps`; others get `num_ctx` of their Modelfile or the server's default. */
async function addFactsOfOllama(listings: readonly Listing[], ask: Ask): Promise<readonly Listing[]> {
  const running = toRows(await orNothing(ask("/api/ps"))) ?? [];
  const byName = new Map(running.map((row) => [row["model"] ?? row["name"], row]));
  const facts = await Promise.all(
    listings.map(async (one, index) => {
      const shown = index < maxShown ? await orNothing(ask("/api/show", { model: one.model })) : {};
      return toOllamaFacts(one, shown, toCount(byName.get(one.model)?.["context_length"]));
    }),
  );
  return facts.filter((one) => one !== undefined);
}

const toOllamaFacts = (one: Listing, shown: Record<string, unknown>, running: number | null): Listing | undefined => {
  const abilities = shown["capabilities"];
  const has = (name: string) => (Array.isArray(abilities) ? abilities.includes(name) : undefined);
  if (has("embedding") === true && has("completion") === false) return undefined;
  const info = isRecord(shown["model_info"]) ? shown["model_info"] : {};
  const trained = toCount(info[`${String(info["general.architecture"])}.context_length`]);
  const parameters = typeof shown["parameters"] === "string" ? shown["parameters"].slice(0, 10_000) : "";
  const own = toCount(Number(/^num_ctx\s+(\d{1,9})\s*$/m.exec(parameters)?.[1] ?? 0));
  const usual = trained === null ? null : Math.min(own ?? ollamaWindow, trained);
  return {
    ...one,
    windowTokens: running ?? usual ?? own,
    sampling: true,
    ...dropUnknown({
      reasoning: has("thinking"),
      effort: has("thinking"),
      tools: has("tools"),
      vision: has("vision"),
      date: toDate(shown["modified_at"]) ?? one.date,
    }),
    isLoaded: running !== null,
  };
};

/** A server without such a path, or one that fails, has nothing to add. */
const orNothing = async (reply: Promise<unknown>): Promise<Record<string, unknown>> => {
  const value = await reply.catch(() => undefined);
  return isRecord(value) ? value : {};
};
