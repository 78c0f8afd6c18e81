import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root, SetupProblem } from "./project.js";

/**
 * Refreshes the catalog of models from models.dev, or from another address or file of the same form.
 *
 *     npm run catalog -- [--from URL or file] [--to file]
 */

/**
 * @typedef {{ input: number | null, output: number | null, cacheRead: number | null, cacheWrite: number | null }} Prices
 * @typedef {{ provider: string, model: string, name: string, note?: string | undefined, reasoning: boolean, vision: boolean,
 *   tools?: boolean, sampling?: boolean, date?: string, windowTokens: number | null, prices: Prices,
 *   source: { from: string, date: string } }} Entry
 */

/** Our provider ids by those of models.dev. */
const providers = /** @type {const} */ ({
  openrouter: "openrouter",
  openai: "openai",
  anthropic: "anthropic",
  google: "google",
  mistral: "mistral",
  xai: "xai",
  groq: "groq",
  deepseek: "deepseek",
  azure: "azure",
  "amazon-bedrock": "bedrock",
});
const usual = "https://models.dev/api.json";
const file = join(root, "server/model/catalog.json");

/** @param {readonly string[]} args */
export async function refreshCatalog(args) {
  const from = readOption(args, "--from") ?? usual;
  const to = readOption(args, "--to") ?? file;
  const { models } = /** @type {{ models: Entry[] }} */ (JSON.parse(await readFile(file, "utf8")));
  const entries = toEntries(await readSource(from), models, new Date().toISOString().slice(0, 10));
  const lines = entries.map((entry) => `    ${JSON.stringify(entry)}`);
  await writeFile(to, `{\n  "models": [\n${lines.join(",\n")}\n  ]\n}\n`);
  process.stdout.write(`stonechat: ${entries.length} models written to ${to}\n`);
  return 0;
}

/** @param {readonly string[]} args @param {string} name */
function readOption(args, name) {
  const at = args.indexOf(name);
  return at === -1 ? undefined : args[at + 1];
}

/** @param {string} from @returns {Promise<unknown>} */
async function readSource(from) {
  try {
    if (!/^https?:/.test(from)) return JSON.parse(await readFile(from, "utf8"));
    const response = await fetch(from, { signal: AbortSignal.timeout(60_000) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return await response.json();
  } catch (error) {
    const why = error instanceof Error ? error.message : "unknown cause";
    throw new SetupProblem(`the catalog could not be read from ${from}: ${why}. The file is unchanged.`);
  }
}

/**
 * Recommended models come first, in their order, and stay even if the source lacks them. OpenRouter's own list has every
 * fact, so that only its recommended models are stored.
 * @param {unknown} source @param {readonly Entry[]} current @param {string} today
 * @returns {Entry[]}
 */
export function toEntries(source, current, today) {
  const found = new Map(listModels(source, today).map((entry) => [`${entry.provider}/${entry.model}`, entry]));
  if (found.size === 0)
    throw new SetupProblem("the source lists no models of a known provider. The file is unchanged.");
  const recommended = current.filter(({ note }) => note !== undefined);
  const first = recommended.map((entry) => {
    const next = found.get(`${entry.provider}/${entry.model}`);
    found.delete(`${entry.provider}/${entry.model}`);
    return next === undefined ? entry : { ...next, name: entry.name, note: entry.note };
  });
  const others = [...found.values()].filter(({ provider }) => provider !== "openrouter");
  const key = (/** @type {Entry} */ entry) => `${entry.provider}/${entry.model}`;
  return [...first, ...others.sort((a, b) => (key(a) < key(b) ? -1 : 1))];
}

/** @param {unknown} source @param {string} today @returns {Entry[]} */
function listModels(source, today) {
  const all = toRecord(source);
  return Object.entries(providers).flatMap(([theirs, provider]) =>
    Object.entries(toRecord(toRecord(all[theirs])["models"])).flatMap(([id, value]) => {
      const model = toRecord(value);
      const { input, output } = toRecord(model["modalities"]);
      if (Array.isArray(output) && !output.includes("text")) return [];
      const cost = toRecord(model["cost"]);
      const date = model["release_date"];
      return [
        {
          provider,
          model: id,
          name: typeof model["name"] === "string" ? model["name"] : id,
          reasoning: model["reasoning"] === true,
          vision: Array.isArray(input) && input.includes("image"),
          ...(typeof model["tool_call"] === "boolean" ? { tools: model["tool_call"] } : {}),
          ...(typeof model["temperature"] === "boolean" ? { sampling: model["temperature"] } : {}),
          ...(typeof date === "string" && /^\d{4}-\d\d-\d\d$/.test(date) ? { date } : {}),
          windowTokens: toNumber(toRecord(model["limit"])["context"]) || null,
          prices: {
            input: toNumber(cost["input"]),
            output: toNumber(cost["output"]),
            cacheRead: toNumber(cost["cache_read"]),
            cacheWrite: toNumber(cost["cache_write"]),
          },
          source: { from: "models.dev", date: today },
        },
      ];
    }),
  );
}

/** @param {unknown} value @returns {Record<string, unknown>} */
const toRecord = (value) =>
  typeof value === "object" && value !== null ? /** @type {Record<string, unknown>} */ (value) : {};

/** @param {unknown} value */
const toNumber = (value) => (typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null);
